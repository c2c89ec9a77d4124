import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

// Nothing here imports the runtime, which may not be installed; only the worker does.
export type { LoadFailure, ModelFiles, OnnxModel, Pooling } from './protocol.ts';
export { POOLINGS } from './protocol.ts';

const extension = extname(fileURLToPath(import.meta.url));

/** The program of the model's process. Its argument is an `OnnxModel` as JSON. */
export const ONNX_WORKER_FILE = fileURLToPath(new URL(`onnx-worker${extension}`, import.meta.url));
