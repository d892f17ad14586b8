-- Money: orders, attempts to pay for them, refunds, what a person has to look at, and the ledger of all of it.
--
-- Lock order, everywhere: orders, payments, refunds, each by its key. Every transition is one function call that names the states it may
-- start from, with its ledger row and its message in the same statement's transaction. No function waits for anything but a lock.
-- Card data is nowhere here.

-- What is paid for: one order for each thing and method. The amount comes from the module that sells it, never from a caller.
CREATE TABLE payments.orders (
  order_id        text PRIMARY KEY,
  payment_type    text NOT NULL CHECK (payment_type IN ('reservation', 'transfer', 'membership')),
  reference_id    uuid NOT NULL,
  event_id        uuid,
  user_id         uuid NOT NULL,
  order_name      text NOT NULL,
  amount_krw      integer NOT NULL CHECK (amount_krw >= 0),
  provider        text NOT NULL,
  method          text NOT NULL CHECK (method IN ('card', 'virtual_account')),
  -- { bank, number, holder }: where the money of a virtual account goes back to. Erased with its user.
  refund_account  jsonb,
  expires_at      timestamptz NOT NULL,
  closes_at       timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT urr.now()
);
CREATE UNIQUE INDEX orders_by_reference ON payments.orders (payment_type, reference_id, method, provider);
CREATE INDEX orders_by_user ON payments.orders (user_id, created_at DESC);

-- Attempts. States: domain/payment.ts. `version` grows with every change and is what readers of payment-events go by.
CREATE TABLE payments.payments (
  payment_id        uuid PRIMARY KEY,
  order_id          text NOT NULL REFERENCES payments.orders (order_id),
  provider          text NOT NULL,
  payment_key       text,
  method            text NOT NULL,
  status            text NOT NULL CHECK (status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit', 'captured', 'partially_refunded',
    'refunded', 'orphaned', 'reversed', 'failed', 'abandoned', 'expired')),
  version           integer NOT NULL DEFAULT 1,
  amount_krw        integer NOT NULL CHECK (amount_krw >= 0),
  captured_krw      integer NOT NULL DEFAULT 0 CHECK (captured_krw >= 0),
  refunded_krw      integer NOT NULL DEFAULT 0 CHECK (refunded_krw BETWEEN 0 AND captured_krw),
  deposit_until     timestamptz,
  -- { bank, number } of a virtual account: ours, not the buyer's.
  account           jsonb,
  decline_code      text,
  decline_reason    text,
  -- What it pays for is no longer wanted: a capture that may still come is not asked for again.
  refund_requested  boolean NOT NULL DEFAULT false,
  -- Its tickets are there, or it was said that there is nothing to give for it.
  is_settled        boolean NOT NULL DEFAULT false,
  -- There was nothing to give for its money, which goes back.
  is_orphan         boolean NOT NULL DEFAULT false,
  -- By which a repeated request is known again.
  intent_key        text,
  intent_print      text,
  next_check_at     timestamptz,
  checks            integer NOT NULL DEFAULT 0,
  unknown_since     timestamptz,
  created_at        timestamptz NOT NULL,
  changed_at        timestamptz NOT NULL
) WITH (fillfactor = 70);
-- One live attempt of an order, whatever runs at the same time.
CREATE UNIQUE INDEX payments_one_live ON payments.payments (order_id)
  WHERE status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit');
CREATE UNIQUE INDEX payments_by_key ON payments.payments (provider, payment_key) WHERE payment_key IS NOT NULL;
CREATE UNIQUE INDEX payments_by_intent ON payments.payments (order_id, intent_key) WHERE intent_key IS NOT NULL;
CREATE INDEX payments_by_order ON payments.payments (order_id, created_at);
CREATE INDEX payments_due ON payments.payments (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX payments_captured ON payments.payments (changed_at) WHERE captured_krw > 0;

-- Money that goes back. The id is a hash of the cancellation and the order, so that nothing is refunded twice.
CREATE TABLE payments.refunds (
  refund_id        uuid PRIMARY KEY,
  payment_id       uuid NOT NULL REFERENCES payments.payments (payment_id),
  kind             text NOT NULL CHECK (kind IN ('cancellation', 'orphan', 'goodwill', 'found')),
  cancellation_id  uuid,
  ticket_ids       uuid[] NOT NULL DEFAULT '{}',
  -- Less than was asked for where the rest has gone back otherwise, e.g. as goodwill; 0 where nothing was left.
  amount_krw       integer NOT NULL CHECK (amount_krw BETWEEN 0 AND asked_krw),
  asked_krw        integer NOT NULL CHECK (asked_krw > 0),
  -- What a person has settled in another way: it is owed no longer, and the provider still has it.
  accepted_krw     integer NOT NULL DEFAULT 0 CHECK (accepted_krw BETWEEN 0 AND asked_krw - amount_krw),
  status           text NOT NULL CHECK (status IN ('requested', 'submitted', 'unknown', 'done', 'failed', 'manual')),
  reason           text NOT NULL,
  reference        text,
  failure          text,
  tries            integer NOT NULL DEFAULT 0,
  next_try_at      timestamptz,
  first_sent_at    timestamptz,
  requested_at     timestamptz NOT NULL,
  done_at          timestamptz
);
CREATE INDEX refunds_by_payment ON payments.refunds (payment_id);
CREATE INDEX refunds_due ON payments.refunds (next_try_at) WHERE next_try_at IS NOT NULL;
-- What the provider calls a refund belongs to one of ours.
CREATE UNIQUE INDEX refunds_by_reference ON payments.refunds (payment_id, reference) WHERE reference IS NOT NULL;

-- Webhooks that have not been followed up. One row a payment that we know, however often it was called, and one an order: anybody can make keys up.
CREATE TABLE payments.hints (
  provider     text NOT NULL,
  payment_key  text NOT NULL,
  order_id     text,
  -- Of a payment, or of an order that somebody has tried to pay: followed up before the others.
  is_known     boolean NOT NULL,
  times        integer NOT NULL DEFAULT 1,
  due_at       timestamptz NOT NULL DEFAULT urr.now(),
  PRIMARY KEY (provider, payment_key)
);
CREATE INDEX hints_due ON payments.hints (due_at);

-- What a person has to look at. `cause` names it: the same thing is on the list once.
CREATE TABLE payments.manual (
  manual_id    uuid PRIMARY KEY,
  cause        text NOT NULL,
  kind         text NOT NULL,
  order_id     text,
  payment_id   uuid,
  refund_id    uuid,
  provider     text,
  payment_key  text,
  amount_krw   integer,
  detail       text NOT NULL,
  opened_at    timestamptz NOT NULL DEFAULT urr.now(),
  resolved_at  timestamptz,
  resolved_by  uuid,
  resolution   text,
  note         text
);
CREATE UNIQUE INDEX manual_once ON payments.manual (cause) WHERE resolved_at IS NULL;
CREATE INDEX manual_open ON payments.manual (opened_at) WHERE resolved_at IS NULL;

-- Days whose list was compared with the provider's. One without `done_at` is being compared, or its process died.
CREATE TABLE payments.reconciled (
  provider  text NOT NULL,
  day       date NOT NULL,
  begun_at  timestamptz NOT NULL DEFAULT urr.now(),
  done_at   timestamptz,
  report    jsonb,
  PRIMARY KEY (provider, day)
);

-- Everything that happened, never changed. (payment, version) orders a payment; a refund's rows carry what it is afterwards.
CREATE TABLE payments.ledger (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at             timestamptz NOT NULL,
  payment_id     uuid NOT NULL,
  version        integer NOT NULL,
  act            text NOT NULL,
  status         text NOT NULL,
  captured_krw   integer NOT NULL,
  refunded_krw   integer NOT NULL,
  refund_id      uuid,
  refund_status  text,
  refund_krw     integer,
  cause          jsonb
);
CREATE INDEX ledger_by_payment ON payments.ledger (payment_id, id);
CREATE INDEX ledger_captures ON payments.ledger (at) WHERE act = 'captured';

CREATE FUNCTION payments.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON payments.ledger
  FOR EACH ROW EXECUTE FUNCTION payments.refuse_change();
CREATE TRIGGER ledger_never_truncated BEFORE TRUNCATE ON payments.ledger
  FOR EACH STATEMENT EXECUTE FUNCTION payments.refuse_change();
