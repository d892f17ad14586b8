import type { ConsumerDeclaration } from './port.ts';

const retriesMax = 20;
const retryAfterMinMax = 30 * 24 * 60;

/** Refuses a declaration that contradicts itself, when the consumer is started and not when the first message fails. */
export function checkDeclaration(declaration: ConsumerDeclaration): void {
  const { topic, group, commit, deadLetter, onPoison, retryAfterMin = [] } = declaration;
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
  if (!retryAfterMin.every((minutes) => minutes >= 0 && minutes <= retryAfterMinMax))
    refuse(`retryAfterMin takes minutes from 0 to ${retryAfterMinMax}`);
}
