-- The audit log for SQL functions that act by themselves: what src/platform/audit writes for TypeScript. Transactions that lock rows
-- which many want are one function call, so that a client which freezes holds no lock; their audit row is written in that call.
CREATE FUNCTION urr.append_audit(
  p_actor_id    text,
  p_actor_role  text,
  p_action      text,
  p_subject     text,
  p_before      jsonb,
  p_after       jsonb,
  p_request_id  text
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO urr.audit_log (actor_id, actor_role, action, subject, before, after, request_id)
  VALUES (p_actor_id, p_actor_role, p_action, p_subject, p_before, p_after, p_request_id)
$$;
