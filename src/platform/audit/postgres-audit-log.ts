import type { AuditLog } from './port.ts';

export const postgresAuditLog: AuditLog = {
  async record(tx, entry) {
    await tx
      .kysely<AuditTables>()
      .insertInto('urr.audit_log')
      .values({
        actor_id: entry.actorId,
        actor_role: entry.actorRole,
        action: entry.action,
        subject: entry.subject,
        before: JSON.stringify(entry.before ?? null),
        after: JSON.stringify(entry.after ?? null),
        request_id: entry.requestId ?? null,
      })
      .execute();
  },
};

interface AuditTables {
  'urr.audit_log': {
    actor_id: string;
    actor_role: string;
    action: string;
    subject: string;
    before: string;
    after: string;
    request_id: string | null;
  };
}
