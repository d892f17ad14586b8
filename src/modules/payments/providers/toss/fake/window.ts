import { readFileSync } from 'node:fs';
import { behaviours } from './behaviours.ts';
import { type FakeControl, orderOf } from './control.ts';

const fileOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The part of Toss's script (v2, standard) that urr's page uses: `TossPayments(clientKey).payment({ customerKey }).requestPayment({ … })`. */
export function sdkScript(): string {
  return fileOf('./standard.js.txt');
}

const passedOn = ['clientKey', 'orderId', 'orderName', 'amount', 'method', 'dueInMs', 'successUrl', 'failUrl'];

/** Toss's window: the buyer chooses what will happen, and is sent back. */
export function windowPage(query: URLSearchParams): string {
  const fields = passedOn.map(
    (name) => `<input type="hidden" name="${name}" value="${escaped(query.get(name) ?? '')}">`,
  );
  const buttons = Object.entries(behaviours).map(
    ([name, { words }]) =>
      `<li><button type="submit" name="behaviour" value="${name}">${name}</button> ${escaped(words)}</li>`,
  );
  return fileOf('./window.html')
    .replace('{name}', () => escaped(query.get('orderName') ?? ''))
    .replace('{amount}', () => Number(query.get('amount')).toLocaleString('ko-KR'))
    .replace('{fields}', () => fields.join(''))
    .replace('{behaviours}', () => buttons.join('\n'));
}

/** Where the buyer is sent back to: with a key, or with the reason why there is none. */
export function windowTarget(control: FakeControl, form: URLSearchParams): string {
  const fields = Object.fromEntries(form);
  const { orderId = '', amount = '' } = fields;
  const ended = form.get('ended');
  const target = new URL((ended === null ? form.get('successUrl') : form.get('failUrl')) ?? '');
  if (!['http:', 'https:'].includes(target.protocol)) throw new Error('the way back is no address of a page');
  const said =
    ended === null
      ? { paymentType: 'NORMAL', orderId, paymentKey: control.pay(orderOf(fields)), amount }
      : { code: ended, message: 'The payment was not finished.', orderId };
  for (const [name, value] of Object.entries(said)) target.searchParams.set(name, value);
  return target.href;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
