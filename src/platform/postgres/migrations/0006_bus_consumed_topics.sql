-- Which topic the offsets that a group committed to Kafka belong to. Kafka keeps them by the topic's name alone: after a
-- topic was deleted and made again, an offset of the old one would skip the messages of the new one.
-- See docs/adr/0035-stale-holders.md.
CREATE TABLE urr.bus_consumed_topics (
  consumer_group  text NOT NULL,
  topic           text NOT NULL,
  -- Kafka's own id of the topic.
  topic_id        text NOT NULL,
  PRIMARY KEY (consumer_group, topic)
);
