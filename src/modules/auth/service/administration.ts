import { platformErrors } from '#platform/errors.ts';
import type { Identity, Role } from '#platform/http/identity.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import type { AuthDeps } from '../ports.ts';
import { revokeFamiliesOfUser } from '../storage/refresh-tokens.ts';
import { findUser, listUsers, lockAdmins, lockUser, setDisabled, setRole } from '../storage/users.ts';

export interface Administration {
  list(page: { q?: string; cursor?: string; limit: number }): Promise<{ items: User[]; nextCursor: string | null }>;
  get(userId: string): Promise<User>;
  changeRole(act: AdminAct & { role: Role }): Promise<User>;
  setEnabled(act: AdminAct & { enabled: boolean }): Promise<User>;
}

export interface AdminAct {
  readonly actor: Identity;
  readonly userId: string;
  readonly requestId: string;
}

/** Each change is audited in its transaction, does nothing when there is nothing to change, and ends the user's sessions. */
export function createAdministration({ database, audit }: Pick<AuthDeps, 'database' | 'audit'>): Administration {
  /** Locks in one order (all admins by id, then the user), and checks what holds for every act. */
  async function begin(tx: Transaction, { actor, userId }: AdminAct): Promise<{ user: User; isLastAdmin: boolean }> {
    const admins = await lockAdmins(tx);
    // The access token may be older than the loss of the role.
    if (!admins.includes(actor.userId))
      throw platformErrors.fault('FORBIDDEN', { detail: 'You are no longer an administrator.' });
    const user = await lockUser(tx, userId);
    if (user === null) throw platformErrors.fault('NOT_FOUND');
    return { user, isLastAdmin: admins.length === 1 && admins[0] === userId };
  }

  async function record(tx: Transaction, act: AdminAct, change: { action: string; before: unknown; after: unknown }) {
    const { actor, userId, requestId } = act;
    await audit.record(tx, { actorId: actor.userId, actorRole: actor.role, subject: userId, requestId, ...change });
  }

  return {
    async list({ q, cursor, limit }) {
      const prefix = q?.trim() || undefined;
      const users = await listUsers(database, { prefix, after: cursor, limit: limit + 1 });
      const items = users.slice(0, limit);
      return { items, nextCursor: users.length > limit ? (items.at(-1)?.id ?? null) : null };
    },

    async get(userId) {
      const user = await findUser(database, userId);
      if (user === null) throw platformErrors.fault('NOT_FOUND');
      return user;
    },

    changeRole: (act) =>
      database.transaction(async (tx) => {
        const { user, isLastAdmin } = await begin(tx, act);
        if (user.role === act.role) return user;
        if (isLastAdmin) throw authErrors.fault('LAST_ADMIN');
        if (user.id === act.actor.userId) throw authErrors.fault('OWN_ACCOUNT');
        const changed = await setRole(tx, { userId: user.id, role: act.role });
        await revokeFamiliesOfUser(tx, { id: user.id, reason: 'role_changed' });
        await record(tx, act, {
          action: 'auth.user.change-role',
          before: { role: user.role },
          after: { role: act.role },
        });
        return changed;
      }),

    setEnabled: (act) =>
      database.transaction(async (tx) => {
        const { user, isLastAdmin } = await begin(tx, act);
        const enabled = user.disabledAtMs === null;
        if (enabled === act.enabled) return user;
        if (isLastAdmin) throw authErrors.fault('LAST_ADMIN');
        if (user.id === act.actor.userId) throw authErrors.fault('OWN_ACCOUNT');
        const changed = await setDisabled(tx, { userId: user.id, disabled: !act.enabled });
        if (!act.enabled) await revokeFamiliesOfUser(tx, { id: user.id, reason: 'disabled' });
        const action = act.enabled ? 'auth.user.enable' : 'auth.user.disable';
        await record(tx, act, { action, before: { disabled: !enabled }, after: { disabled: !act.enabled } });
        return changed;
      }),
  };
}
