import type { BrowserContext, Page } from 'playwright-core';
import { aClient, demoPassword, type TestClient } from '#test/kit/client.ts';
import { eventually } from '#test/kit/faults.ts';
import { within } from './browser.ts';

export interface HeldOrder {
  /** The buyer without a browser. */
  readonly buyer: TestClient;
  readonly reservationId: string;
  readonly reservationNumber: string;
  readonly totalKrw: number;
  readonly orderId: string;
  readonly path: string;
}

export interface HoldWish {
  readonly eventId: string;
  readonly email: string;
  readonly seatIds: readonly string[];
}

/** Seats that somebody holds, with an order to pay for them: what the pages before this one do. */
export async function anOrder(url: string, { eventId, email, seatIds }: HoldWish): Promise<HeldOrder> {
  const buyer = aClient(url);
  await buyer.signIn(email);
  await eventually(async () => (await buyer.checkQueue({ params: { eventId } })).status === 'active', {
    withinMs: within.timeout,
    what: 'the turn',
  });
  const held = await buyer.reserveSeats(
    { body: { eventId, seatIds: [...seatIds] } },
    { idempotencyKey: crypto.randomUUID() },
  );
  const { orderId } = await buyer.preparePayment({
    body: { paymentType: 'reservation', referenceId: held.id, method: 'card' },
  });
  const { id: reservationId, reservationNumber, totalKrw } = held;
  return { buyer, reservationId, reservationNumber, totalKrw, orderId, path: `/payment/${orderId}` };
}

/** Signs in on the way to a page. */
export async function signInAt(page: Page, path: string, email: string): Promise<void> {
  await page.goto(`/login?next=${encodeURIComponent(path)}`);
  await page.locator('input[autocomplete=username]').fill(email);
  await page.locator('input[autocomplete=current-password]').fill(demoPassword);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL(({ pathname }) => pathname === path);
}

export const payButton = (page: Page) => page.locator('[data-action-bar] button[type=submit]');
export const slipTitle = (page: Page, title: string) => page.getByRole('heading', { level: 1, name: title });

/** Chooses a test card by its last digits and agrees to everything. */
export async function fillCard(page: Page, lastDigits: string): Promise<void> {
  const card = page.getByRole('radio', { name: new RegExp(`${lastDigits} `) });
  await payButton(page).waitFor();
  if (!(await card.isVisible())) await page.locator('summary').first().click();
  await card.check();
  await page.getByLabel(/^(전체 동의|Agree to all)$/).check();
}

/** What the page is told of its order from now on, beside what is true. */
export async function retellOrder(context: BrowserContext, changes: (order: TaleOrder) => object): Promise<void> {
  await context.route('**/api/payments/order/*', async (route) => {
    const response = await route.fetch();
    const order = (await response.json()) as TaleOrder;
    await route.fulfill({ json: { ...order, ...changes(order) } });
  });
}

export interface TaleOrder {
  readonly reservation: Record<string, unknown>;
  readonly payment: Record<string, unknown> | null;
  readonly [member: string]: unknown;
}

/** The keys under which a page has asked for money so far. */
export function payKeys(context: BrowserContext): string[] {
  const keys: string[] = [];
  context.on('request', (request) => {
    if (/\/api\/payments\/(process|confirm)$/.test(request.url()))
      keys.push(request.headers()['idempotency-key'] ?? '');
  });
  return keys;
}
