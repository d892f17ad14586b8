import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { assertNever } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import { type Fault, platformErrors } from '#platform/errors.ts';
import type { RouteContract } from '#platform/http/contract.ts';
import type { EntrySlot, Identity } from '#platform/http/identity.ts';
import { answerHeaders, callerHeaders } from '#platform/http/names.ts';
import { fingerprintOf, idempotencyKeyPattern } from '#platform/idempotency.ts';
import type { Ids } from '#platform/ids.ts';
import { ticketingErrors } from '../errors.ts';
import type { HoldRequest, HoldVerdict, IdempotencyName } from '../ports.ts';
import type { Reservation } from '../schemas.ts';

interface HoldingRequest {
  readonly user: Identity;
  readonly entry: EntrySlot;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const keyForm = new RegExp(idempotencyKeyPattern);

/**
 * Everything of a HoldRequest but what is wanted. A caller without a key gets one, in the answer's header, also with a 503 that
 * leaves the outcome open: repeating with it is then safe.
 */
export function holdRequestBase({
  contract,
  request,
  reply,
  ids,
}: {
  contract: RouteContract;
  request: HoldingRequest;
  reply: FastifyReply;
  ids: Ids;
}): Pick<HoldRequest, 'eventId' | 'userId' | 'slotId'> & { idempotency: IdempotencyName } {
  const given = request.headers[callerHeaders.idempotencyKey];
  if (given !== undefined && (typeof given !== 'string' || !keyForm.test(given))) {
    throw invalid(`headers.${callerHeaders.idempotencyKey}`, 'must be 1 to 200 visible ASCII characters');
  }
  const key = given ?? ids.next();
  reply.header(answerHeaders.idempotencyKey, key);
  const { method, path: route } = contract;
  return {
    eventId: request.entry.eventId,
    userId: request.user.userId,
    slotId: request.entry.slotId,
    idempotency: { key, method, route, fingerprint: fingerprintOf(request.body), isNew: given === undefined },
  };
}

/** 201 for a new hold and its repeats, 200 for seats that the caller holds already; every other verdict is a problem. */
export function sendVerdict(
  verdict: HoldVerdict,
  reply: FastifyReply,
  { seatIdOf, field }: { seatIdOf: (seatNo: number) => string; field: string },
): Reservation {
  switch (verdict.status) {
    case 'replayed':
      reply.header(answerHeaders.idempotentReplayed, 'true');
      reply.code(201);
      return verdict.reservation;
    case 'granted':
      reply.code(201);
      return verdict.reservation;
    case 'same':
      reply.code(200);
      return verdict.reservation;
    case 'taken':
      throw ticketingErrors.fault('SEAT_TAKEN', { extensions: { taken: verdict.seatNos.map(seatIdOf) } });
    case 'busy':
      throw ticketingErrors.fault('SEATS_BUSY');
    case 'short':
      throw ticketingErrors.fault('NOT_ENOUGH_LEFT', { extensions: { left: verdict.left } });
    case 'limit':
      throw ticketingErrors.fault('PURCHASE_LIMIT', { extensions: { limit: verdict.limit, have: verdict.have } });
    case 'not-open':
      throw ticketingErrors.fault('SALE_NOT_OPEN', { extensions: { opensAt: isoTime(verdict.opensAtMs) } });
    case 'tier-not-open': {
      const opensAt = verdict.opensAtMs === null ? null : isoTime(verdict.opensAtMs);
      throw ticketingErrors.fault('TIER_NOT_OPEN', { extensions: { opensAt } });
    }
    case 'over':
      throw ticketingErrors.fault('SALE_OVER');
    case 'not-ready':
    case 'other-offer':
      throw ticketingErrors.fault('SEATS_NOT_READY');
    case 'unknown-event':
      throw platformErrors.fault('NOT_FOUND', { detail: 'There is no such event on sale.' });
    case 'unknown-replaced':
      throw platformErrors.fault('NOT_FOUND', {
        detail: '`replaces` is no pending reservation of yours for this event.',
      });
    case 'unknown-seat':
    case 'unknown-type':
      throw invalid(field, 'is not of this event');
    case 'in-flight':
      throw platformErrors.fault('IDEMPOTENCY_IN_FLIGHT');
    case 'mismatch':
      throw platformErrors.fault('IDEMPOTENCY_MISMATCH');
    default:
      return assertNever(verdict);
  }
}

export function invalid(field: string, message: string): Fault {
  return platformErrors.fault('VALIDATION_FAILED', {
    detail: `${field} ${message}`,
    extensions: { errors: [{ field, message }] },
  });
}
