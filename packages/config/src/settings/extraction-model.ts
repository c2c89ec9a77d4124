import { z } from 'zod';
import { httpUrl, positiveInt } from './values.ts';

export const extractionModel = {
  LLM_BASE_URL: httpUrl.optional().meta({
    description:
      'OpenAI-compatible endpoint, for example `http://127.0.0.1:11434/v1`. Set `LLM_MODEL` as well.',
    unset: 'extraction by rules, without a model',
  }),
  LLM_API_KEY: z
    .string()
    .default('')
    .meta({ secret: true, description: 'Bearer token for it. Empty: none is sent.' }),
  LLM_MODEL: z.string().min(1).optional().meta({
    description: 'Name of the model. Goes with `LLM_BASE_URL`.',
    unset: 'extraction by rules',
  }),
  LLM_FALLBACK_MODELS: z.string().meta({ allowed: 'names, separated by commas' }).default('').meta({
    description:
      'Models to use, best first, while the endpoint does not have `LLM_MODEL`. While it has none of them, extraction waits. Empty: the smallest model that it lists with a size in its name, such as `qwen3:1.7b`.',
  }),
  LLM_MAX_TOKENS: positiveInt.default(512).meta({ description: 'Longest reply of one call, in tokens.' }),
  LLM_CONTEXT_TOKENS: positiveInt.default(32_768).meta({
    description:
      'How many tokens the model takes at once. Attached documents are in the prompt whole when they fit, else the nearest parts of them. With Ollama that of `OLLAMA_CONTEXT_LENGTH`: it cuts longer prompts without a word.',
  }),
  LLM_TEMPERATURE: z.coerce.number().min(0).max(2).default(0.1).meta({ description: 'Temperature.' }),
  LLM_TIMEOUT_MS: positiveInt.default(60_000).meta({ description: 'How long one call may take.' }),
};
