export { parseAddress, type RedisAddress } from './address.ts';
export { closeRedis, openRedis, type RedisClient } from './open-redis.ts';
