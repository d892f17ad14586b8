import { randomUUID } from 'node:crypto';
import { eventually } from '#test/kit/faults.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from '#test/kit/raw-http.ts';
import { aShopper, type Shopper } from '#test/kit/ticketing/entry.ts';

const ticketWithinMs = 60_000;

/** Somebody with a slot buys one seat: hold, prepare, pay, ticket. Anything but success ends the benchmark. */
export async function buySeat(send: SendRaw, call: { eventId: string; seatId: string }): Promise<void> {
  const { eventId, seatId } = call;
  const who = aShopper(eventId);
  const held = await post(send, who, '/api/seats/reserve', { eventId, seatIds: [seatId] }, 201);
  const { id: referenceId } = held as { id: string };
  const body = { paymentType: 'reservation', referenceId, method: 'card' };
  const { orderId } = (await post(send, who, '/api/payments/prepare', body, 201)) as { orderId: string };
  const paid = await post(send, who, '/api/payments/process', { orderId, card: { number: '4242424242424242' } }, 200);
  const { reservation } = paid as { reservation?: { status: string } };
  if (reservation?.status !== 'confirmed') await untilConfirmed(send, who, referenceId);
}

/** The answer waits for the ticket for two seconds only, which a machine that is too busy takes. The purchase counts when the buyer sees it. */
async function untilConfirmed(send: SendRaw, who: Shopper, reservationId: string): Promise<void> {
  await eventually(
    async () => {
      const headers = { authorization: `Bearer ${who.accessToken}` };
      const { status, text } = await send({ method: 'GET', path: `/api/reservations/${reservationId}`, headers });
      return status === 200 && (JSON.parse(text) as { status: string }).status === 'confirmed';
    },
    { withinMs: ticketWithinMs, what: 'the ticket of a buyer who has paid' },
  );
}

export async function holdSeat(send: SendRaw, call: { eventId: string; seatId: string }): Promise<void> {
  const { eventId, seatId } = call;
  await post(send, aShopper(eventId), '/api/seats/reserve', { eventId, seatIds: [seatId] }, 201);
}

async function post(send: SendRaw, who: Shopper, path: string, body: object, expected: number): Promise<unknown> {
  const answer: RawAnswer = await send({
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${who.accessToken}`,
      'x-queue-entry-token': who.entryToken,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (answer.status !== expected) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}

/** Does the work again and again, so many at a time, for so long. Answers how many were done a second. */
export async function forSeconds(
  { seconds, atOnce, url }: { seconds: number; atOnce: number; url: string },
  work: (send: SendRaw) => Promise<void>,
): Promise<number> {
  const send = createSendRaw(url, { connectionsMax: atOnce });
  const begun = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - begun < seconds * 1_000) {
        await work(send);
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - begun) / 1_000);
}
