import { z } from 'zod';
import { httpUrl, positiveInt } from './values.ts';

export const onnx = {
  MODELS_DIR: z.string().min(1).optional().meta({
    description:
      'Folder of the models that were downloaded from the Hugging Face Hub. Processes may share it.',
    unset: '`models` in `DATA_DIR`',
  }),
  MODELS_URL: httpUrl.default('https://huggingface.co').meta({
    description:
      'The Hugging Face Hub or a mirror of it: `/owner/name/resolve/revision/file` below this address. It is asked only for a model that is not in `MODELS_DIR`.',
  }),
  ONNX_THREADS: positiveInt.max(64).default(1).meta({
    description:
      'Processor threads of one model. One leaves the others to requests; more make long texts and reranking quicker.',
  }),
};
