// Three kinds of tests, told apart by the file's name, so that each can run alone:
//   *.test.ts        pure policy, beside the code, milliseconds each
//   *.int.test.ts    one package or service on real Postgres and Redis
//                    (some of them run once more with partitions)
//   test/**          whole system: end to end (e2e), faults over processes, and the Helm chart (helm)
const common = {
  // Not among the temporary files, which go with each run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['factmill-source', 'node'] },
  modulePathIgnorePatterns: ['/dist/', '/\\.toolchain/', '/\\.test-services/'],
};

const roots = ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/scripts'];

/** @type {import('jest').Config} */
export default {
  testSequencer: '<rootDir>/scripts/longest-first.mjs',
  // A new worker compiles everything anew: with a limit of 600 MB all tests took a tenth more processor time.
  workerIdleMemoryLimit: '1500MB',
  // A worker ends within a millisecond of its last test; on a busy machine its memory is given back for seconds.
  workerGracefulExitTimeout: 60_000,
  // For machines with much else to do: a limit ends only what would never end.
  testTimeout: 300_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      roots,
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.int\\.test\\.ts$'],
    },
    { ...common, displayName: 'integration', roots, testMatch: ['**/*.int.test.ts'] },
    {
      ...common,
      displayName: 'partitions',
      roots: [...roots, '<rootDir>/test/faults'],
      setupFiles: ['<rootDir>/scripts/with-partitions.mjs'],
      testMatch: [
        '**/database/src/pool/row-security.int.test.ts',
        '**/database/src/queries/claim-by-tenant.int.test.ts',
        '**/database/src/queries/extractions/apply-memories.int.test.ts',
        '**/database/src/queries/extractions/ledger.int.test.ts',
        '**/gateway/src/routes/*.int.test.ts',
        '**/faults/drop-oldest.fault.test.ts',
        '**/faults/extraction.fault.test.ts',
      ],
    },
    { ...common, displayName: 'e2e', roots: ['<rootDir>/test'], testMatch: ['**/*.e2e.test.ts'] },
    { ...common, displayName: 'chart', roots: ['<rootDir>/test'], testMatch: ['**/*.helm.test.ts'] },
    { ...common, displayName: 'faults', roots: ['<rootDir>/test'], testMatch: ['**/*.fault.test.ts'] },
  ],
};
