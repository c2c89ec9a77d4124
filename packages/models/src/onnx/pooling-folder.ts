import { join } from 'node:path';
import { AppError } from '@factmill/errors';
import { isRecord } from '../errors/error-signals.ts';
import { readJsonFile } from './json-file.ts';
import { isInside } from './model-source.ts';

/** Steps after the tokens' vectors that Factmill does itself. Vectors are always scaled to length 1. */
const KNOWN_STEPS: ReadonlySet<string> = new Set(['Transformer', 'Pooling', 'Normalize']);

/**
 * The folder of a model's pooling step in the folder `model`: the one in `modules.json`, as sentence-transformers
 * writes it, or else the usual one. Null when the model has no such step.
 *
 * @throws AppError `model_config` when the model has a step that is not in its ONNX file
 */
export async function readPoolingFolder(model: string): Promise<string | null> {
  const modules = await readJsonFile(join(model, 'modules.json'), 'modules.json');
  return modules === null ? '1_Pooling' : poolingStepOf(modules);
}

function poolingStepOf(modules: unknown): string | null {
  if (!Array.isArray(modules)) return null;
  let folder: string | null = null;
  for (const module of modules as unknown[]) {
    const { type, path } = isRecord(module) ? module : {};
    const step = typeof type === 'string' ? (type.split('.').at(-1) ?? '') : '';
    if (!KNOWN_STEPS.has(step)) {
      throw new AppError(
        'model_config',
        'The model has steps after its ONNX file other than pooling and scaling (modules.json), which cannot be run.',
      );
    }
    if (step !== 'Pooling') continue;
    if (typeof path !== 'string' || !isInside(path)) {
      throw new AppError('model_config', 'modules.json of the model names no folder for its pooling.');
    }
    folder = path;
  }
  return folder;
}
