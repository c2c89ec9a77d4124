import { accepting } from './accepting.mjs';
import { access } from './access.mjs';
import { consoleOf } from './console.mjs';
import { extracting } from './extracting.mjs';
import { presets } from './presets.mjs';
import { searching } from './searching.mjs';

/** Edits of the central files, each of which a test has to notice. */
export const MUTATIONS = [...accepting, ...extracting, ...searching, ...presets, ...access, ...consoleOf];
