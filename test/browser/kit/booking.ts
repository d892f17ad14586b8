import type { Page } from 'playwright-core';
import { demoPassword, type TestClient } from '#test/kit/client.ts';
import type { Visitor, VisitorOptions } from './browser.ts';
import { hallOf } from './hall.ts';
import { ownClock } from './page-clock.ts';
import { inSlot, type QueueScript, scriptQueue } from './queue-script.ts';
import { type SeatScript, scriptSeats } from './seat-script.ts';

export interface ScriptedBuyer extends Visitor {
  readonly queue: QueueScript;
  readonly seats: SeatScript;
}

export interface ScriptedSale {
  readonly client: TestClient;
  readonly eventId: string;
  /** With a clock that the test may stop, see page-clock.ts. */
  readonly hasOwnClock?: boolean;
}

/** Longer than any test moves its clock. */
const slotMs = 3 * 3_600_000;

/** Somebody whose turn it is and who looks at the seats, or the places, of a scripted sale. */
export async function aScriptedBuyer(
  visitor: (options?: VisitorOptions) => Promise<Visitor>,
  sale: ScriptedSale,
  options: VisitorOptions = {},
): Promise<ScriptedBuyer> {
  const someone = await visitor(options);
  if (sale.hasOwnClock) await ownClock(someone.page);
  const queue = await scriptQueue(someone.context);
  queue.answer = inSlot(slotMs);
  const seats = await scriptSeats(someone.context, await hallOf(sale.client, sale.eventId));
  await someone.page.goto(`/queue/${sale.eventId}`);
  await enterTurn(someone.page);
  return { ...someone, queue, seats };
}

/** Signs in as one of the demonstration's buyers, and goes to the seats through the real queue. */
export async function arriveAtSale(page: Page, eventId: string, email: string): Promise<void> {
  await page.goto(`/events/${eventId}`);
  await page.getByRole('link', { name: '예매하기' }).click();
  await page.getByLabel('이메일').fill(email);
  await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
  await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
  await enterTurn(page);
}

/** Goes on from the turn to the choice. The page does so by itself after some seconds; the button is pressed if it is still there. */
export async function enterTurn(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /지금 입장하기|Enter now/ });
  const choice = page.locator('[data-action-bar]');
  await button.or(choice).first().waitFor();
  await button.click({ timeout: pressWithinMs }).catch(() => undefined);
  await choice.waitFor();
}

/** Then the page has gone on, or is about to. */
const pressWithinMs = 1_000;

/** The button that holds what was chosen. */
export const holdButton = (page: Page) =>
  page.locator('[data-action-bar]').getByRole('button', { name: /선점하기|바꾸기/ });

/** Opens a section and presses these seats of it, by their full names. */
export async function chooseSeats(page: Page, section: string, names: readonly RegExp[]): Promise<void> {
  const open = page
    .getByRole('region', { name: '구역', exact: true })
    .getByRole('button', { name: new RegExp(`^${section}`) });
  await open.click();
  for (const name of names) await page.getByRole('button', { name }).click();
}
