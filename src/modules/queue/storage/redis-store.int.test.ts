import { describeWith } from '#test/kit/engines/needs.ts';
import { redisClusterStores, redisStores } from '../testing/redis-stores.ts';
import { describeStore } from './conformance.ts';

describeWith('redis', 'queues in Redis', () => {
  describeStore('standalone', redisStores);
  describeStore('on a Cluster of three', redisClusterStores);
});
