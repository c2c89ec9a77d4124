import type { ChatUpstreamConfig, Config } from '@factmill/config';
import { createUpstream, type Upstream } from './upstream.ts';

type NamedUpstream = Pick<ChatUpstreamConfig, 'name' | 'memory' | 'preset'> &
  Readonly<{ client: Upstream; hasStoredKey: boolean }>;

export type Upstreams = Readonly<{
  /** The first upstream whose list has the model, else the first without a list, else the first. */
  ofModel: (model: string) => NamedUpstream;
  /** The upstream of all other paths. */
  ofPassThrough: NamedUpstream;
  close: () => void;
}>;

/** The chat upstreams of the configuration; null when there is none. */
export function createUpstreams({ upstreams, timeoutMs }: Config['gateway']['chat']): Upstreams | null {
  const all = upstreams.map((upstream) => ({
    ...upstream,
    hasStoredKey: upstream.apiKey !== '',
    client: createUpstream({ baseUrl: upstream.baseUrl, apiKey: upstream.apiKey, timeoutMs }),
  }));
  const [first] = all;
  if (first === undefined) return null;
  const anything = all.find(({ models }) => models.length === 0) ?? first;
  return {
    ofModel: (model) =>
      all.find(({ models }) => models.some((pattern) => matches(pattern, model))) ?? anything,
    ofPassThrough: anything,
    close: () => all.forEach(({ client }) => client.close()),
  };
}

/** A model's name, or a prefix of names followed by `*`. */
function matches(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}
