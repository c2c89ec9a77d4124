import { untilAborted } from '@factmill/async';
import { AppError, isAppError } from '@factmill/errors';
import type { ChatReply, ChatRequest } from './chat-completion.ts';
import { type ChatModel, type ChatModelConfig, createChatModelAt } from './chat-model.ts';
import { createEndpointClient } from '../endpoint/endpoint-client.ts';
import { isRecord, ModelCallError } from '../errors/error-signals.ts';
import { pickModels, RECHECK_MS } from './pick-models.ts';
import { smallestModel } from './smallest-model.ts';

export type FallbackChatModelConfig = ChatModelConfig &
  Readonly<{
    /** Asked for in this order when `model` is not available. Without any the smallest that the endpoint lists is. */
    fallbackModels: readonly string[];
  }>;

/** `unknown` until the endpoint has answered about our models; `none`: it has none of them. */
export type ModelAvailability =
  Readonly<{ kind: 'unknown' }> | Readonly<{ kind: 'none' }> | Readonly<{ kind: 'model'; model: string }>;

export type FallbackChatModel = ChatModel &
  Readonly<{
    availability: () => ModelAvailability;
    /** Finds out which model is available when there are several. Never rejects. */
    check: () => Promise<void>;
  }>;

export type FallbackChatModelDeps = Readonly<{
  now: () => number;
  /** Called on every change. */
  onAvailability?: (availability: ModelAvailability) => void;
}>;

/** After this long without an answer, the list of models is ignored. */
const LIST_TIMEOUT_MS = 5_000;

/**
 * The configured model of an endpoint if it is available, else the first fallback that is. Without fallbacks in the
 * configuration: the smallest model that the endpoint lists (B13).
 *
 * Of several models, the endpoint's `/models` says which are available. Without that list its answers do: a model that
 * it reports as missing is skipped. A single model is asked without reading the list first. While a
 * fallback is in use it checks again after a minute, while no model is with every call.
 *
 * `complete` throws as `createChatModel` does, and `model_unavailable` when no model is available.
 */
export function createFallbackChatModel(
  config: FallbackChatModelConfig,
  deps: FallbackChatModelDeps = { now: Date.now },
): FallbackChatModel {
  const { baseUrl, apiKey = '', timeoutMs } = config;
  const endpoint = createEndpointClient({ baseUrl, apiKey, timeoutMs, settings: 'LLM', now: deps.now });
  const names = [...new Set([config.model, ...config.fallbackModels])];
  const models = new Map<string, ReturnType<typeof createChatModelAt>>();
  const modelOf = (model: string) => {
    const created = models.get(model) ?? createChatModelAt(endpoint, { ...config, model });
    models.set(model, created);
    return created;
  };
  const missingSinceMs = new Map<string, number>();
  let listed: readonly string[] | null = null;
  let listedAtMs = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  let availability: ModelAvailability = { kind: 'unknown' };

  const become = (next: ModelAvailability): void => {
    const before = availability;
    availability = next;
    const same =
      before.kind === next.kind &&
      (before.kind !== 'model' || next.kind !== 'model' || before.model === next.model);
    if (!same) deps.onAvailability?.(next);
  };

  const readList = async (): Promise<void> => {
    try {
      listed = readModelIds(await endpoint.get('/models', AbortSignal.timeout(LIST_TIMEOUT_MS)));
    } catch {
      // No list, now or ever: the answers of the models decide.
      listed = null;
    }
    if (listed !== null) missingSinceMs.clear();
    listedAtMs = deps.now();
  };

  /** The models to try, without those that were tried already and are missing. */
  const pick = async (
    tried: ReadonlyMap<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<string[]> => {
    const settled = availability.kind === 'model' && availability.model === config.model && tried.size === 0;
    const isStale = availability.kind !== 'model' || deps.now() - listedAtMs >= RECHECK_MS || tried.size > 0;
    // A single model is asked first: its endpoint may have no list.
    const reads = names.length > 1 || listed !== null || tried.size > 0;
    if (reads && !settled && isStale) {
      listing ??= readList().finally(() => {
        listing = undefined;
      });
      await untilAborted(listing, signal);
      for (const name of tried.keys()) missingSinceMs.set(name, deps.now());
    }
    const ours = pickModels(names, { listed, missingSinceMs }, deps.now()).filter((name) => !tried.has(name));
    if (listed === null || ours.length > 0 || config.fallbackModels.length > 0) return ours;
    const smallest = smallestModel(listed.filter((name) => !missingSinceMs.has(name)));
    return smallest === null ? [] : [smallest];
  };

  const complete = async (request: ChatRequest): Promise<ChatReply> => {
    const missing = new Map<string, unknown>();
    // When the only model is missing, the list says what else there is, for two more rounds.
    for (let rounds = names.length > 1 ? 1 : 3; rounds > 0; rounds -= 1) {
      const candidates = await pick(missing, request.signal);
      if (candidates.length === 0) break;
      for (const name of candidates) {
        try {
          const reply = await modelOf(name).complete(request);
          missingSinceMs.delete(name);
          become({ kind: 'model', model: name });
          return reply;
        } catch (error) {
          if (!saysMissing(error)) throw error;
          missingSinceMs.set(name, deps.now());
          missing.set(name, error);
        }
      }
    }
    become({ kind: 'none' });
    throw (names.length === 1 ? missing.get(config.model) : undefined) ?? noneAvailable();
  };

  return {
    get name() {
      return availability.kind === 'model' ? availability.model : config.model;
    },
    complete,
    availability: () => availability,
    check: async () => {
      if (names.length === 1) return;
      const [first] = await pick(new Map(), undefined);
      if (listed !== null) become(first === undefined ? { kind: 'none' } : { kind: 'model', model: first });
    },
    close: endpoint.close,
  };
}

function noneAvailable(): AppError {
  return new AppError(
    'model_unavailable',
    'None of the models in LLM_MODEL and LLM_FALLBACK_MODELS is available at LLM_BASE_URL, nor another that says how large it is. Extraction goes on when one is.',
  );
}

/** Whether an error says that the endpoint lacks the model; with several models any 404 counts as that. */
function saysMissing(error: unknown): boolean {
  if (!isAppError(error)) return false;
  if (error.code === 'model_unavailable') return true;
  return error.cause instanceof ModelCallError && error.cause.signals.status === 404;
}

function readModelIds(body: unknown): string[] | null {
  const data = isRecord(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) return null;
  return data.flatMap((item: unknown) =>
    isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : [],
  );
}
