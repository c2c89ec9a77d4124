import autocannon from 'autocannon';

export type Load = Readonly<{ requests: number; requestsPerSecond: number; p50Ms: number; p99Ms: number }>;

export type LoadOptions = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  connections: number;
  /** Duration, or number of requests. */
  until: { seconds: number } | { requests: number };
}>;

let number = 0;

/** A new conversation with one user message of about 200 bytes that states one fact. */
export function nextExtractionBody(): { user_id: string; messages: { role: string; content: string }[] } {
  number += 1;
  const content = `My code word number ${number} is zebra${number}. I would like you to keep it in mind for later.`;
  return {
    user_id: `user-${number}`,
    messages: [{ role: 'user', content: content.padEnd(200, ' and so on') }],
  };
}

/** Posts extractions, each of another user. Throws when one of them was not accepted. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const result = await autocannon({
    url: options.url,
    method: 'POST',
    headers: options.headers,
    connections: options.connections,
    ...('seconds' in options.until
      ? { duration: options.until.seconds }
      : { amount: options.until.requests }),
    requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(nextExtractionBody()) }) }],
  });
  if (result.non2xx + result.errors + result.timeouts > 0) {
    throw new Error(
      `${result.non2xx} refused, ${result.errors} failed, ${result.timeouts} timed out: ${options.url}`,
    );
  }
  return {
    requests: result['2xx'],
    requestsPerSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
