-- Rows of the audit log are refused updates and deletes one by one; TRUNCATE passes by row triggers and needs one of its
-- own. Neither stops the owner of the table, who may drop it or its triggers: docs/guides/observability.md says so.
CREATE TRIGGER audit_log_never_truncated BEFORE TRUNCATE ON urr.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION urr.refuse_change();
