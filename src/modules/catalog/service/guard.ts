import type { AuditEntry } from '#platform/audit/port.ts';
import { platformErrors } from '#platform/errors.ts';
import type { FieldProblem } from '../domain/field-problem.ts';
import type { Actor, UserDirectory } from '../ports.ts';

/** A seller acts on what is theirs, an admin on everything. */
export function mayActOn(actor: Actor, ownerId: string): boolean {
  return actor.role === 'admin' || actor.userId === ownerId;
}

/** For what everybody may see: the refusal need not hide that it exists. */
export function requireOwner(actor: Actor, ownerId: string): void {
  if (!mayActOn(actor, ownerId)) throw platformErrors.fault('FORBIDDEN', { detail: 'It belongs to another seller.' });
}

export function requireVersion(current: number, given: number): void {
  if (current !== given) {
    throw platformErrors.fault('CONFLICT', {
      detail: `You changed version ${given}; it is at version ${current} by now.`,
      extensions: { currentVersion: current },
    });
  }
}

/** A body that is well formed but makes no sense, told like any other bad field. */
export function invalidBody(problems: readonly FieldProblem[], where: 'body' | 'query' = 'body') {
  const errors = problems.map(({ field, message }) => ({ field: field === '' ? where : `${where}.${field}`, message }));
  return platformErrors.fault('VALIDATION_FAILED', {
    detail: errors.map(({ field, message }) => `${field} ${message}`).join('; '),
    extensions: { errors },
  });
}

/** Whose it will be: the seller's own, or, for an admin, that of the seller they name. */
export async function ownerFor(actor: Actor, sellerId: string | undefined, users: UserDirectory): Promise<string> {
  if (sellerId === undefined || sellerId === actor.userId) return actor.userId;
  if (actor.role !== 'admin') {
    throw platformErrors.fault('FORBIDDEN', { detail: 'Only an admin may act for another seller.' });
  }
  const { users: found } = await users.usersById({ ids: [sellerId] });
  const owner = found.find((user) => user.id === sellerId);
  if (owner?.role !== 'seller' && owner?.role !== 'admin') {
    throw invalidBody([{ field: 'sellerId', message: 'is not a seller' }]);
  }
  return owner.id;
}

/** Who did what to the thing that `before` and `after` are states of. */
export function auditEntry<Thing extends { readonly id: string }>(
  actor: Actor,
  act: { action: string; before: Thing | null | undefined; after: Thing | null | undefined },
): AuditEntry {
  return {
    actorId: actor.userId,
    actorRole: actor.role,
    action: act.action,
    subject: (act.after ?? act.before)?.id ?? '',
    before: act.before ?? null,
    after: act.after ?? null,
    ...(actor.requestId !== undefined && { requestId: actor.requestId }),
  };
}

export function found<Thing>(thing: Thing | null): Thing {
  if (thing === null) throw platformErrors.fault('NOT_FOUND');
  return thing;
}
