import sequencer from '@jest/test-sequencer';

/**
 * Its types are those of its CommonJS.
 * @type {typeof sequencer.default}
 */
const Sequencer = /** @type {any} */ (sequencer);

/**
 * The tests that take the longest, in the order in which they start: all would wait for a long one that starts last, and
 * in a fresh clone Jest knows the sizes of the files only. Those that break servers of their own are apart.
 */
const LONGEST = [
  'test/faults/extraction.fault.test.ts',
  'test/security/memory-doors.e2e.test.ts',
  'services/retrieval/src/embedded-search.int.test.ts',
  'packages/cli/src/cli.int.test.ts',
  'packages/search/src/resident/search-resident.int.test.ts',
  'test/e2e/cli.e2e.test.ts',
  'test/restore/restore.e2e.test.ts',
  'test/faults/model-outage.fault.test.ts',
  'test/e2e/import.e2e.test.ts',
  'test/kubernetes/rolling-upgrade.e2e.test.ts',
  'test/e2e/services.e2e.test.ts',
  'test/e2e/standalone.e2e.test.ts',
  'test/security/connections.e2e.test.ts',
  'test/restore/embedded.e2e.test.ts',
  'test/sources/reconciled.e2e.test.ts',
  'packages/database/src/embedded/start-embedded.int.test.ts',
  'services/extractor/src/extractor-errors.int.test.ts',
  'services/extractor/src/extractor.int.test.ts',
  'test/security/hostile-input.e2e.test.ts',
  'test/faults/drop-oldest.fault.test.ts',
];

const KINDS = ['.fault.test.ts', '.e2e.test.ts', '.int.test.ts', '.test.ts'];

/**
 * The tests named above first, then the others of the whole system, then those of a part.
 * @public jest.config.js names it.
 */
export default class LongestFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests
   */
  async sort(tests) {
    const rank = (/** @type {{ path: string }} */ { path }) => {
      const place = LONGEST.findIndex((name) => path.endsWith(`/${name}`));
      return place >= 0 ? place : LONGEST.length + KINDS.findIndex((kind) => path.endsWith(kind));
    };
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
}
