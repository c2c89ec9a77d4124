export { assertSameSize } from './assert-same-size.ts';
export { backfillVectors } from './backfill-vectors.ts';
export { buildVectors } from './build-vectors.ts';
export { checkVectors } from './check-vectors.ts';
export { createModelsInUse, IN_USE_FOR_MS } from './models-in-use.ts';
export type { ModelInUse, ModelsInUse } from './models-in-use.ts';
export { registerConfigured } from './register-configured.ts';
