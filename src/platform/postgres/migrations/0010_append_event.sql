-- Events that SQL functions tell themselves: a row of the outbox as src/platform/bus/outbox.ts and message.ts write it, so that a
-- function which decides and writes in one call needs no further round trip for what it tells.

-- As JavaScript writes a time: UTC, milliseconds, Z.
CREATE FUNCTION urr.iso_time(at timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A UUIDv7: sorts by its time to the millisecond, and by nothing within one. (PostgreSQL has one of its own from 18 on.)
CREATE FUNCTION urr.uuid7(at timestamptz DEFAULT urr.now()) RETURNS uuid
  LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
  RETURN encode(
    -- gen_random_uuid() makes version 4 (0100); bits 52 and 53 turn that into 7 (0111).
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid;

-- Kafka's hash of a key, as src/platform/bus/partitioner.ts has it. Returns the 32 bits without a sign.
-- Cost: a loop over four bytes at a time; a UUID as text takes some microseconds.
CREATE FUNCTION urr.murmur2(data bytea) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  multiplier CONSTANT bigint := 1540483477; -- 0x5bd1e995; times 32 bits it stays below 2^63.
  mask       CONSTANT bigint := 4294967295;
  length     CONSTANT integer := octet_length(data);
  blocks_end CONSTANT integer := length & ~3;
  hash       bigint := 2538058380 # length; -- 0x9747b28c
  block      bigint;
  place      integer := 0;
BEGIN
  WHILE place < blocks_end LOOP
    block := (get_byte(data, place) | (get_byte(data, place + 1) << 8) | (get_byte(data, place + 2) << 16)
      | (get_byte(data, place + 3)::bigint << 24)) * multiplier & mask;
    block := (block # (block >> 24)) * multiplier & mask;
    hash := (hash * multiplier & mask) # block;
    place := place + 4;
  END LOOP;
  IF length > blocks_end THEN
    block := 0;
    FOR further IN REVERSE length - 1 .. blocks_end LOOP
      block := (block << 8) | get_byte(data, further);
    END LOOP;
    hash := (hash # block) * multiplier & mask;
  END IF;
  hash := (hash # (hash >> 13)) * multiplier & mask;
  RETURN hash # (hash >> 15);
END $$;

CREATE FUNCTION urr.partition_of(key text, partitions integer) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ((urr.murmur2(convert_to(key, 'UTF8')) & 2147483647) % partitions)::integer;

-- Writes one event to the outbox, in the caller's transaction. Lock the business row before: per-key order is the order of outbox
-- ids. The data must pass the topic's schema, which nothing here checks: a test decodes each event that SQL writes.
-- `partitions` is the topic's. Afterwards the caller wakes the relay (`bus.wakeRelays()`); else its next poll finds the row.
-- Refuses what a broker would refuse for ever, by the limits of message.ts. Returns the event's id. Cost: one insert.
CREATE FUNCTION urr.append_event(
    topic text, partitions integer, key text, type text, version integer, data json, at timestamptz)
  RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  event_id CONSTANT uuid := urr.uuid7(at);
  envelope CONSTANT text := '{"id":"' || event_id || '","type":' || to_json(type) || ',"version":' || version
    || ',"occurredAt":"' || urr.iso_time(at) || '","key":' || to_json(key) || ',"data":' || data || '}';
  bytes    CONSTANT integer := octet_length(envelope);
BEGIN
  IF envelope IS NULL THEN RAISE EXCEPTION 'an event of % lacks a part', topic; END IF;
  IF bytes > 900000 THEN RAISE EXCEPTION '% is larger than 900000 bytes', type; END IF;
  IF length(key) > 256 THEN RAISE EXCEPTION 'the key of % is longer than 256', type; END IF;
  INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, bytes)
  VALUES (topic, urr.partition_of(key, partitions), key, event_id, type, envelope::json, bytes);
  RETURN event_id;
END $$;

CREATE FUNCTION urr.append_event(
    topic text, partitions integer, key text, type text, version integer, data jsonb, at timestamptz)
  RETURNS uuid LANGUAGE sql
  RETURN urr.append_event(topic, partitions, key, type, version, data::json, at);
