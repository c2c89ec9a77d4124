/** Settings that make the one pipeline behave like one of the known ways of remembering. */
export type Preset = {
  name: string;
  /** Which messages the transcript holds. */
  transcript: 'user-only';
  /** Name of the prompt template. */
  prompt: 'facts-and-context';
  /** `json`: a reply without JSON is invalid; `line`: one plain line is a memory (or NOTHING). */
  reply: 'json' | 'line';
  /** How many known memories the prompt shows. */
  knownMemoryLimit: number;
  /** Shorter notes carry nothing worth keeping. */
  minNoteCharacters: number;
  /** Longer contents are refused. */
  maxContentCharacters: number;
  /** Sent to the model. */
  maxTokens: number;
  temperature: number;
  /** New user turns before an extraction is due, and at most this many turns in one. */
  minTurns: number;
  maxTurns: number;
  idleTimeoutS: number;
};

const factsAndContext: Preset = {
  name: 'facts-and-context',
  transcript: 'user-only',
  prompt: 'facts-and-context',
  reply: 'json',
  knownMemoryLimit: 20,
  minNoteCharacters: 10,
  maxContentCharacters: 8_000,
  maxTokens: 512,
  temperature: 0.1,
  minTurns: 2,
  maxTurns: 20,
  idleTimeoutS: 180,
};

const standard: Preset = { ...factsAndContext, name: 'standard' };

/** Every preset by name; each a plain object, so that a deployment can print and compare them. */
export const presets: ReadonlyMap<string, Preset> = new Map(
  [standard, factsAndContext].map((preset) => [preset.name, preset]),
);

export const PRESET_NAMES: readonly string[] = [...presets.keys()];

/** The preset of that name; undefined when there is none. */
export function getPreset(name: string): Preset | undefined {
  return presets.get(name);
}
