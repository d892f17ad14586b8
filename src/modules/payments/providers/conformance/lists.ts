import { describe, expect, it } from 'vitest';
import type { ProviderMovement } from '../../ports.ts';
import { dayMs, done, minuteMs, type StageKit } from './stage.ts';

/** Guards against a list that never ends. */
const pagesMax = 1_000;

export function listTests(kit: StageKit): void {
  describe('the list', () => {
    it('has every movement exactly once, both ways, over as many pages as it takes', async () => {
      const calls = await Promise.all(
        Array.from({ length: 12 }, (_, index) => kit.captured('approves', 20_000 + index)),
      );
      const account = await kit.opened(40_000);
      await kit.stage.deposit(account.paymentKey);
      const expected = [...calls, account].map(({ paymentKey, orderId, amountKrw }) => ({
        ...{ paymentKey, orderId, amountKrw },
        kind: 'captured',
      }));
      for (const call of [...calls.slice(0, 4), account]) {
        for (const amountKrw of [1_000, 2_000]) {
          done(await kit.stage.provider.refund(await kit.refundOf(call, { amountKrw })));
          expected.push({ paymentKey: call.paymentKey, orderId: call.orderId, amountKrw, kind: 'refunded' });
        }
      }
      const orders = new Set(expected.map(({ orderId }) => orderId));
      const listed = (await aroundNow(kit)).filter(({ orderId }) => orders.has(orderId));
      expect(listed).toHaveLength(expected.length);
      expect(listed).toEqual(expect.arrayContaining(expected.map((movement) => expect.objectContaining(movement))));
      expect(new Set(listed.map(({ kind, reference }) => `${kind} ${reference}`)).size).toBe(expected.length);
    });

    it('names a refund as the payment does', async () => {
      const call = await kit.captured();
      const { reference } = done(await kit.stage.provider.refund(await kit.refundOf(call, { amountKrw: 1_000 })));
      const movements = await movementsOf(kit, call);
      expect(movements.find(({ kind }) => kind === 'refunded')).toMatchObject({
        reference,
        paymentKey: call.paymentKey,
      });
    });

    it('of two ranges that touch has everything once: from is in it, to is not', async () => {
      const call = await kit.captured();
      const [movement] = await movementsOf(kit, call);
      if (movement === undefined) throw new Error('the capture is not listed');
      const { atMs } = movement;
      const ofCall = async (fromMs: number, toMs: number) =>
        (await everything(kit, { fromMs, toMs })).filter(({ orderId }) => orderId === call.orderId);
      expect(await ofCall(atMs - minuteMs, atMs)).toEqual([]);
      expect(await ofCall(atMs, atMs + minuteMs)).toEqual([movement]);
      expect(await ofCall(atMs + 1, atMs + minuteMs)).toEqual([]);
    });

    it('is empty where nothing moved', async () => {
      const fromMs = (await kit.stage.now()) + 10 * dayMs;
      expect(await kit.stage.provider.list({ fromMs, toMs: fromMs + dayMs, cursor: null })).toEqual({
        items: [],
        nextCursor: null,
      });
    });
  });
}

/** What the provider lists about one payment, the oldest first. */
export async function movementsOf(kit: StageKit, { orderId }: { orderId: string }): Promise<ProviderMovement[]> {
  const own = (await aroundNow(kit)).filter((movement) => movement.orderId === orderId);
  // Both may have happened within one tick of the provider's clock.
  return own.sort((a, b) => a.atMs - b.atMs || a.kind.localeCompare(b.kind));
}

async function aroundNow(kit: StageKit): Promise<ProviderMovement[]> {
  const now = await kit.stage.now();
  return everything(kit, { fromMs: now - dayMs / 2, toMs: now + dayMs / 2 });
}

async function everything(kit: StageKit, range: { fromMs: number; toMs: number }): Promise<ProviderMovement[]> {
  const items: ProviderMovement[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const answer: Awaited<ReturnType<StageKit['stage']['provider']['list']>> = await kit.stage.provider.list({
      ...range,
      cursor,
    });
    items.push(...answer.items);
    cursor = answer.nextCursor;
    if (cursor === null) return items;
  }
  throw new Error(`the list has more than ${pagesMax} pages`);
}
