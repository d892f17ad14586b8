import type { Logger } from '#platform/telemetry/logger.ts';
import type { BusObserver } from '../options.ts';
import { type LaneName, laneKey } from '../outbox.ts';

/** Which topics cannot be sent to, told once when it begins, when its reason changes and when it is over. */
export interface StuckTopics {
  stuck(lane: LaneName, reason: string): void;
  /** This lane can be sent to again. */
  well(lane: LaneName): void;
  /** This process has nothing to do with the lane any more; another may find it stuck or well. */
  leave(lane: LaneName): void;
  /** The topic was deleted and made again and has this id now. Told once, although each of its lanes finds it. */
  replaced(topic: string, id: string): void;
}

export function createStuckTopics({ logger, observe }: { logger: Logger; observe: BusObserver }): StuckTopics {
  const reasons = new Map<string, Map<string, string>>();
  const replacedBy = new Map<string, string>();

  function remove({ topic, partition }: LaneName): boolean {
    const lanes = reasons.get(topic);
    if (lanes?.delete(laneKey({ topic, partition })) !== true || lanes.size > 0) return false;
    reasons.delete(topic);
    observe.topicStuck?.(topic, null);
    return true;
  }

  return {
    stuck(lane, reason) {
      const { topic, partition } = lane;
      const lanes = reasons.get(topic) ?? new Map<string, string>();
      reasons.set(topic, lanes);
      if (lanes.get(laneKey(lane)) === reason) return;
      lanes.set(laneKey(lane), reason);
      logger.error({ topic, partition, reason }, 'a topic cannot be sent to; its events wait, others go on');
      observe.topicStuck?.(topic, reason);
    },
    well(lane) {
      if (remove(lane)) logger.info({ topic: lane.topic }, 'the topic can be sent to again');
    },
    leave(lane) {
      remove(lane);
    },
    replaced(topic, id) {
      if (replacedBy.get(topic) === id) return;
      replacedBy.set(topic, id);
      logger.error(
        { topic },
        'the topic was deleted and made again; what the outbox still has of it is sent once more',
      );
      observe.topicReplaced?.(topic);
    },
  };
}
