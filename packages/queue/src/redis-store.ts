import type { QueueName } from '@factmill/contracts';
import type { RedisClient } from '@factmill/redis';
import type { JobStore } from './backend.ts';

/** Ids per call: keeps one script below about 10 ms, even when it searches a long list. */
const IDS_PER_CALL = 200;

/**
 * KEYS: wait, delayed, active. ARGV: prefix of job keys, then ids. Returns the ids removed. A job in `active`
 * belongs to a worker, with or without its lock.
 */
const REMOVE_WAITING = `
local removed = {}
for i = 2, #ARGV do
  local id = ARGV[i]
  if not redis.call('LPOS', KEYS[3], id) then
    local taken = redis.call('ZREM', KEYS[2], id)
    if taken == 0 then taken = redis.call('LREM', KEYS[1], -1, id) end
    if taken > 0 then
      redis.call('DEL', ARGV[1] .. id, ARGV[1] .. id .. ':logs')
      removed[#removed + 1] = id
    end
  end
end
return removed`;

/**
 * KEYS: completed, failed. ARGV: prefix of job keys, then ids. Returns the ids that are in no live state. A job's
 * hash exists from its adding to its removal and has finishedOn once it has ended, so reading the hash is enough;
 * the lists need no search.
 */
const FORGET_FINISHED = `
local missing = {}
for i = 2, #ARGV do
  local id = ARGV[i]
  local key = ARGV[1] .. id
  local job = redis.call('HMGET', key, 'timestamp', 'finishedOn')
  if not job[1] or job[2] then
    redis.call('ZREM', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
    redis.call('DEL', key, key .. ':logs')
    missing[#missing + 1] = id
  end
end
return missing`;

/** KEYS: wait. ARGV: prefix of job keys. When the next job to be taken was added, or nil. */
const NEXT_ADDED_AT = `
local id = redis.call('LINDEX', KEYS[1], -1)
return id and redis.call('HGET', ARGV[1] .. id, 'timestamp')`;

/** Uses BullMQ's keys directly where its own calls take a round trip per job or are not atomic. */
export function createRedisStore(redis: RedisClient, keyPrefix: string): JobStore {
  const key = (queue: QueueName, part: string): string => `${keyPrefix}:${queue}:${part}`;

  const inSlices = async (
    script: string,
    keys: readonly string[],
    prefix: string,
    jobIds: readonly string[],
  ): Promise<string[]> => {
    const found: string[] = [];
    for (let start = 0; start < jobIds.length; start += IDS_PER_CALL) {
      const slice = jobIds.slice(start, start + IDS_PER_CALL);
      const reply: unknown = await redis.eval(script, keys.length, ...keys, prefix, ...slice);
      if (Array.isArray(reply)) found.push(...reply.map(String));
    }
    return found;
  };

  return {
    removeWaiting: (queue, jobIds) =>
      inSlices(
        REMOVE_WAITING,
        [key(queue, 'wait'), key(queue, 'delayed'), key(queue, 'active')],
        key(queue, ''),
        jobIds,
      ),
    forgetFinished: (queue, jobIds) =>
      inSlices(FORGET_FINISHED, [key(queue, 'completed'), key(queue, 'failed')], key(queue, ''), jobIds),
    oldestWaitingAt: async (queue) => {
      const addedAt = await redis.eval(NEXT_ADDED_AT, 1, key(queue, 'wait'), key(queue, ''));
      return addedAt === null ? null : Number(addedAt);
    },
    ping: async () => {
      // A read of a key, because any server of a cluster answers a PING.
      await redis.exists(key('extraction', 'meta'));
    },
  };
}
