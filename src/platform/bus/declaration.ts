import type { ConsumerDeclaration } from './port.ts';

const retriesMax = 20;
const retryAfterMinMax = 30 * 24 * 60;
/** A message that is retried in its place keeps its partition waiting; beyond this many times it is meant to be for ever. */
const retryTimesMax = 1_000;
const backoffMaxMs = 60 * 60_000;
/** Beyond a day somebody meant seconds, and beyond 2^31 neither timers nor PostgreSQL take it. */
const handlerTimeoutMaxMs = 24 * 60 * 60_000;
const batchSizeMaxMax = 10_000;

/** Refuses a declaration that contradicts itself, when the consumer is started and not when the first message fails. */
export function checkDeclaration(declaration: ConsumerDeclaration): void {
  const { topic, group, commit, deadLetter, onPoison, retry, retryAfterMin = [] } = declaration;
  const refuse = (why: string) => {
    throw new Error(`the consumer ${group} of ${topic.name} cannot be started: ${why}`);
  };
  if (onPoison === 'park-key' && deadLetter === null)
    refuse("onPoison 'park-key' needs a deadLetter; without one a message that fails is skipped");
  if (onPoison === 'park-key' && commit === 'auto')
    refuse(
      "onPoison 'park-key' needs commit 'manual'; without an inbox a message that is delivered again would be parked",
    );
  if (retryAfterMin.length > retriesMax) refuse(`retryAfterMin has more than ${retriesMax} entries`);
  const whole = (name: string, value: number | undefined, [min, max]: readonly [number, number]) => {
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max))
      refuse(`${name} takes whole numbers from ${min} to ${max}`);
  };
  for (const minutes of retryAfterMin) whole('retryAfterMin', minutes, [0, retryAfterMinMax]);
  whole('retry.times', retry.times, [0, retryTimesMax]);
  whole('retry.backoffMs', retry.backoffMs, [0, backoffMaxMs]);
  whole('handlerTimeoutMs', declaration.handlerTimeoutMs, [1, handlerTimeoutMaxMs]);
  whole('batchSizeMax', declaration.batchSizeMax, [1, batchSizeMaxMax]);
}
