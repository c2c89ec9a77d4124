import { type Config, loadConfig, loadProcessEnvironment } from '@factmill/config';
import { AppError } from '@factmill/errors';
import { createEmbedder, type Embedder } from '@factmill/models';
import { createModelsInUse, type ModelsInUse } from '@factmill/vectors';
import { type CommandContext, withDatabase } from './with-database.ts';

export type EmbedderContext = CommandContext &
  Readonly<{
    config: Config['embedding'];
    /** Of the configured model. */
    embedder: Embedder;
    models: ModelsInUse;
    /** Aborted by SIGINT and SIGTERM, so that the command hands back its claims. */
    signal: AbortSignal;
  }>;

/** Runs an operator command with the database and the configured embedding model, and closes both afterwards. */
export function withEmbedder<T>(work: (context: EmbedderContext) => Promise<T>): Promise<T> {
  return withDatabase(async (context) => {
    const { embedding: config } = loadConfig(loadProcessEnvironment());
    if (config.provider === 'none') {
      throw new AppError('config_invalid', 'There is no embedding model: EMBEDDING_PROVIDER is none.');
    }
    const embedder = createEmbedder(config);
    const models = createModelsInUse({
      database: context.database,
      config,
      configured: embedder,
      now: Date.now,
    });
    const interrupted = new AbortController();
    const interrupt = () =>
      interrupted.abort(new AppError('shutting_down', 'Interrupted. The same command goes on where it was.'));
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      return await work({ ...context, config, embedder, models, signal: interrupted.signal });
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await models.close();
      await embedder.close();
    }
  });
}
