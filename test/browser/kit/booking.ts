import type { Page } from 'playwright-core';
import { demoPassword, type TestClient } from '#test/kit/client.ts';
import type { Visitor, VisitorOptions } from './browser.ts';
import { hallOf } from './hall.ts';
import { inSlot, type QueueScript, scriptQueue } from './queue-script.ts';
import { type SeatScript, scriptSeats } from './seat-script.ts';

export interface ScriptedBuyer extends Visitor {
  readonly queue: QueueScript;
  readonly seats: SeatScript;
}

/** Somebody whose turn it is and who looks at the seats, or the places, of a scripted sale. */
export async function aScriptedBuyer(
  visitor: (options?: VisitorOptions) => Promise<Visitor>,
  sale: { readonly client: TestClient; readonly eventId: string; readonly slotMs?: number },
  options: VisitorOptions = {},
): Promise<ScriptedBuyer> {
  const someone = await visitor(options);
  const queue = await scriptQueue(someone.context);
  queue.answer = inSlot(sale.slotMs ?? 600_000);
  const seats = await scriptSeats(someone.context, await hallOf(sale.client, sale.eventId));
  await someone.page.goto(`/queue/${sale.eventId}`);
  await someone.page.getByRole('button', { name: /지금 입장하기|Enter now/ }).click();
  await someone.page.locator('[data-action-bar]').waitFor();
  return { ...someone, queue, seats };
}

/** Signs in as one of the demonstration's buyers, and goes to the seats through the real queue. */
export async function arriveAtSale(page: Page, eventId: string, email: string): Promise<void> {
  await page.goto(`/events/${eventId}`);
  await page.getByRole('link', { name: '예매하기' }).click();
  await page.getByLabel('이메일').fill(email);
  await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
  await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
  await page.getByRole('button', { name: '지금 입장하기' }).click();
  await page.locator('[data-action-bar]').waitFor();
}

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
