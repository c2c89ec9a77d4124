/** A model's answer as stored in the ledger. */
export type ModelOutput = Readonly<{
  provider: string;
  model: string;
  promptVersion: string;
  raw: string;
  finishReason: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
}>;
