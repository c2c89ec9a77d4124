import { toWords } from '../text/format.ts';

export type ServiceHealth = Readonly<{
  status: string;
  impaired: readonly string[];
  facts: Readonly<Record<string, string>>;
}>;

/** What `/health` says of the gateway and what it depends on; it needs no key. */
export async function fetchHealth({ signal }: Readonly<{ signal: AbortSignal }>): Promise<ServiceHealth> {
  const response = await fetch('/health', { signal });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  const { status, impaired, missing, ...rest } = body;
  const names = [impaired, missing].flat().filter((name) => typeof name === 'string');
  const facts = Object.entries(rest).flatMap(([name, value]) =>
    typeof value === 'string' ? [[toTitle(name), value] as const] : [],
  );
  return {
    status: typeof status === 'string' ? status : 'unknown',
    impaired: names,
    facts: Object.fromEntries(facts),
  };
}

function toTitle(name: string): string {
  const words = toWords(name);
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}
