export type AttackMessage = Readonly<{
  role: 'user' | 'assistant' | 'tool' | 'system';
  content: string;
  tool_calls?: readonly Readonly<Record<string, unknown>>[];
  tool_call_id?: string;
}>;

/** One attempt to make a memory out of what the user never meant to have remembered. */
export type Attempt = Readonly<{
  /** Unique; what the documentation calls it. */
  name: string;
  preset: 'standard' | 'facts-and-context' | 'single-fact' | 'tiered' | 'categorised' | 'reconciled';
  messages: readonly AttackMessage[];
  /** What a model answers that obeys the attacker to the letter. */
  reply: string;
  /** Contents of the memories by which the attacker wins. */
  through: readonly string[];
  /** Contents of the memories that are honest, and have to stay. */
  honest: readonly string[];
}>;

export function user(content: string): AttackMessage {
  return { role: 'user', content };
}

export function assistant(content: string): AttackMessage {
  return { role: 'assistant', content };
}

/** A call of a tool and what it returned. */
export function tool(name: string, output: string): AttackMessage[] {
  return [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: '{}' } }],
    },
    { role: 'tool', content: output, tool_call_id: `call_${name}` },
  ];
}

type Given = Partial<Pick<Attempt, 'preset' | 'through' | 'honest'>>;

/** An attempt in the preset `standard` that gets nothing through, unless `given` says otherwise. */
export function attempt(
  name: string,
  messages: readonly AttackMessage[],
  reply: unknown,
  given: Given = {},
): Attempt {
  return {
    name,
    preset: 'standard',
    messages,
    reply: typeof reply === 'string' ? reply : JSON.stringify(reply),
    through: [],
    honest: [],
    ...given,
  };
}
