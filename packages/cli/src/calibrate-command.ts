import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import { AppError } from '@factmill/errors';
import {
  calibrate,
  CALIBRATION_PAIRS,
  type Calibration,
  createEmbedder,
  type EmbeddingProfile,
  measurePairs,
  toProfile,
} from '@factmill/models';
import { type Command, Option } from 'commander';
import { print } from './with-database.ts';

type Options = Readonly<{ language: 'en' | 'de' | 'zh'; json?: true }>;

/** `factmill calibrate`: measures what similarity means for the configured embedding model. */
export function addCalibrateCommand(program: Command): void {
  program
    .command('calibrate')
    .description('measure the similarity thresholds of the configured embedding model')
    .addOption(
      new Option('--language <language>', 'of the pairs that decide')
        .choices(['en', 'de', 'zh'])
        .default('en'),
    )
    .option('--json', 'print the profile only')
    .action(async (options: Options) => {
      const { embedding } = loadConfig(loadProcessEnvironment());
      if (embedding.provider === 'none') {
        throw new AppError(
          'config_invalid',
          'There is no embedding model to measure: EMBEDDING_PROVIDER is none.',
        );
      }
      const embedder = createEmbedder(embedding);
      try {
        const measured = await measurePairs(CALIBRATION_PAIRS, (texts, as) => embedder.embed(texts, { as }));
        const profile = await embedder.loadProfile();
        if (profile === null) throw new Error('an embedder that embeds has a profile');
        const calibration = calibrate(measured, options.language);
        const result = JSON.stringify(toProfile(profile, calibration), null, 2);
        if (options.json) print(result);
        else report(profile, calibration, result);
      } finally {
        await embedder.close();
      }
    });
}

function report(profile: EmbeddingProfile, calibration: Calibration, result: string): void {
  print(`Cosine similarities of ${CALIBRATION_PAIRS.length} labelled pairs with ${profile.id}:`);
  print('');
  print(row(['language', 'kind', 'pairs', 'min', '5 %', 'median', '95 %', 'max']));
  for (const { language, kind, pairs, ...spread } of calibration.distributions) {
    const values = [spread.min, spread.p5, spread.median, spread.p95, spread.max];
    print(row([language, kind, String(pairs), ...values.map((value) => value.toFixed(3))]));
  }
  print('');
  for (const name of ['minSimilarity', 'relatedSimilarity', 'duplicateSimilarity'] as const) {
    const { origin, [name]: current } = profile;
    print(
      `${name} ${calibration.thresholds[name]} (now ${current}, ${origin[name]}): ${calibration.explanations[name]}.`,
    );
  }
  if (calibration.warnings.length > 0) print('');
  for (const warning of calibration.warnings) print(`Warning: ${warning}`);
  print('');
  print(result);
  print('');
  print('To use these thresholds, set in all services:');
  print(`EMBEDDING_MIN_SIMILARITY=${calibration.thresholds.minSimilarity}`);
  print(`EMBEDDING_RELATED_SIMILARITY=${calibration.thresholds.relatedSimilarity}`);
  print(`EMBEDDING_DUPLICATE_SIMILARITY=${calibration.thresholds.duplicateSimilarity}`);
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index < 2 ? cell.padEnd(10) : cell.padStart(8)))
    .join('')
    .trimEnd();
}
