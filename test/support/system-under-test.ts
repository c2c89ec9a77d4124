import { migrate } from '@factmill/database';
import {
  createRedisNamespace,
  createScriptedModel,
  createTestDatabase,
  type RedisNamespace,
  type ScriptedModel,
} from '@factmill/testkit';
import { type ServiceProcess, startServices } from './service-process.ts';

/** Gateway, extractor and retrieval as processes, on a database and a part of Redis of their own. */
export type SystemUnderTest = Readonly<{
  /** Of the gateway. */
  url: string;
  services: readonly ServiceProcess[];
  model: ScriptedModel;
  redis: RedisNamespace;
  close: () => Promise<void>;
}>;

const quiet = { info: () => undefined, warn: () => undefined };

/** Settings with which the rules extract. Chats go to the scripted model all the same. */
export const WITHOUT_MODEL = { LLM_BASE_URL: '', LLM_MODEL: '' } as const;

/** @param env settings besides those of the database, the queue and the model, which is the scripted one */
export async function openSystem(env: Readonly<Record<string, string>>): Promise<SystemUnderTest> {
  const database = await createTestDatabase({
    migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
  });
  const redis = createRedisNamespace();
  const model = await createScriptedModel();
  const { gateway, extractor, retrieval } = await startServices({
    DATABASE_URL: database.serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    CHAT_BASE_URL: model.url,
    ...env,
  });
  const services = [gateway, extractor, retrieval];
  return {
    url: gateway.url,
    services,
    model,
    redis,
    async close() {
      await Promise.all(services.map((service) => service.kill('SIGTERM')));
      await model.close();
      await redis.cleanup();
      await database.drop();
    },
  };
}
