import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseApiKey } from '@factmill/auth';
import { createPool, type DatabasePool, findApiKey, readSettings } from '@factmill/database';
import { loadConfig } from '@factmill/config';
import { createEmbedder } from '@factmill/models';
import {
  createEmptyDatabase,
  createScriptedModel,
  startProcess,
  type TestDatabase,
  tinyCrossEncoder,
  tinyEncoder,
  writeTinyModel,
} from '@factmill/testkit';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Each command is a process of its own, which takes half a second of a processor to start.
const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url));

let own: TestDatabase;
let database: DatabasePool;
let cwd: string;
beforeAll(async () => {
  own = await createEmptyDatabase();
  database = createPool({
    connectionString: own.connectionString,
    max: 1,
    applicationName: 'factmill-test',
    logger: { info: () => undefined, warn: () => undefined },
  });
  // Outside the repository, because a developer's .env may be in there.
  cwd = await mkdtemp(join(tmpdir(), 'factmill-cli-'));
});
afterAll(async () => {
  await database.close();
  await own.drop();
  await rm(cwd, { recursive: true, force: true });
});

/** Runs `factmill …` as an operator would. */
async function factmill(args: string, env: Record<string, string> = { DATABASE_URL: own.connectionString }) {
  const child = await startProcess({
    entry: ENTRY,
    args: args.split(' '),
    env: { XDG_CONFIG_HOME: cwd, ...env },
    cwd,
  });
  const { code } = await child.exit;
  return { code, output: child.output() };
}

describe('factmill migrate', () => {
  test('brings an empty database up to date, twice at once and again', async () => {
    const both = await Promise.all([factmill('migrate'), factmill('migrate')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ output }) => output).join('')).toContain('Applied 0026_baseline.sql');
    const again = await factmill('migrate');
    expect(again.code).toBe(0);
    expect(again.output).toMatch(
      /^The schema is up to date\.\npgvector \d+\.\d+\.\d+, pg_trgm available\.$/m,
    );
  });
});

describe('factmill migrate --check', () => {
  test('says whether the schema is up to date and whole, and changes nothing', async () => {
    const empty = await createEmptyDatabase();
    const missing = await factmill('migrate --check', { DATABASE_URL: empty.connectionString });
    await empty.drop();
    expect([missing.code, missing.output]).toEqual([
      1,
      'factmill: The database has no Factmill schema yet. Run the migrate command.\n',
    ]);
    const whole = await factmill('migrate --check');
    expect(whole.code).toBe(0);
    expect(whole.output).toMatch(/^The schema is up to date and whole\.$/m);
  });
});

describe('factmill backup and restore', () => {
  test.each(['backup', 'restore'])(
    '%s is for embedded storage, and says what a Postgres has',
    async (name) => {
      const { code, output } = await factmill(`${name} some.tar.gz`);
      expect([code, output]).toEqual([
        1,
        'factmill: DATABASE_URL is set, and this command is for embedded storage. A Postgres is backed up with pg_dump: see docs/operations/backup-and-restore.md.\n',
      ]);
    },
  );

  test.each([
    ['backup', 'There is nothing to back up: DATA_DIR holds no database.'],
    ['restore', 'The file of the backup, or the folder for it, does not exist.'],
  ])('%s with nothing there is one sentence, and makes nothing', async (name, sentence) => {
    const { code, output } = await factmill(`${name} some.tar.gz`, {});
    expect([code, output]).toEqual([1, `factmill: ${sentence}\n`]);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });
});

describe('factmill keys', () => {
  test('create prints a key that is stored as a hash; list shows it without its secret; revoke ends it', async () => {
    const created = await factmill(
      'keys create --name desk --tenant acme --permissions memory.read,queue.read --user ada --expires 2099-01-01',
    );
    expect(created.code).toBe(0);
    const key = created.output.trim();
    const parsed = parseApiKey(key);
    const stored = await findApiKey(database, parsed?.id ?? '');
    expect(stored).toMatchObject({
      name: 'desk',
      permissions: ['memory.read', 'queue.read'],
      userId: 'ada',
      expiresAt: new Date('2099-01-01T00:00:00Z'),
      revokedAt: null,
      secretSha256: parsed?.secretSha256,
    });

    const listed = await factmill('keys list --tenant acme');
    const [header = '', row = ''] = listed.output.split('\n');
    expect(header).toMatch(/^id +name +permissions +user +created +last used +expires +state$/);
    expect(row.split(/ {2,}/)).toEqual([
      parsed?.id,
      'desk',
      'memory.read,queue.read',
      'ada',
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      'never',
      '2099-01-01',
      'in force',
    ]);
    expect((await factmill('keys list')).output).toBe('This tenant has no keys.\n');

    const rotated = parseApiKey((await factmill(`keys rotate ${parsed?.id} --tenant acme`)).output.trim());
    expect(rotated?.id).toBe(parsed?.id);
    expect(await findApiKey(database, parsed?.id ?? '')).toMatchObject({
      secretSha256: rotated?.secretSha256,
      previousSha256: parsed?.secretSha256,
    });

    const elsewhere = await factmill(`keys revoke ${parsed?.id}`);
    expect([elsewhere.code, elsewhere.output]).toEqual([
      1,
      'factmill: There is no key with this id in force for this tenant.\n',
    ]);
    expect((await factmill(`keys revoke ${parsed?.id} --tenant acme`)).code).toBe(0);
    expect((await findApiKey(database, parsed?.id ?? ''))?.revokedAt).toBeInstanceOf(Date);
    expect((await factmill('keys create --name desk --tenant acme')).code).toBe(0);
  });

  test('tenants and users are listed and set', async () => {
    const [header = '', row = ''] = (
      await factmill('tenants set acme --preset tiered --rate 50')
    ).output.split('\n');
    expect(header).toMatch(/^id +name +created +preset/);
    expect(row).toMatch(/ {2}acme {2}.* {2}tiered +- +50/);
    await database.query(
      `insert into users (tenant_id, user_id) select id, 'ada' from tenants where name = 'acme'`,
    );
    const off = (await factmill('users set ada --memory off --tenant acme')).output;
    expect(off).toMatch(
      /^id +memories +conversations +last active +preset +memory\nada +0 +0 .* {2}- +off\n$/,
    );
  });

  test('a locked key is told apart in the list', async () => {
    const created = await factmill('keys create --name kiosk --tenant locks --user ada --locked');
    expect(await findApiKey(database, parseApiKey(created.output.trim())?.id ?? '')).toMatchObject({
      permissions: ['memory.read', 'memory.write', 'chat'],
      userId: 'ada',
      userLocked: true,
    });
    expect((await factmill('keys list --tenant locks')).output).toMatch(
      / {2}ada \(locked\) {2}.* {2}in force\n$/,
    );
  });

  test('what cannot be is refused with a sentence', async () => {
    const refusals = [
      ['keys create --name x --locked', /^factmill: --locked needs a user/],
      ['keys create --name x --user ada --locked --permissions admin', /^factmill: --locked cannot go with/],
      ['keys create --name desk --tenant acme', /^factmill: The tenant has a key with this name/],
      ['keys create --name x --permissions memory.read,everything', /known are memory\.read/],
      ['keys create --name x --expires soon', /ISO 8601/],
      ['keys list --tenant nobody', /^factmill: There is no tenant with this name\.\n$/],
    ] as const;
    await Promise.all(
      refusals.map(async ([args, sentence]) => {
        const { code, output } = await factmill(args);
        expect(code).toBe(1);
        expect(output).toMatch(sentence);
      }),
    );
    const { rows } = await database.query<{ name: string }>('select name from tenants order by name');
    expect(rows.map(({ name }) => name)).toEqual(['acme', 'default', 'locks']);
  });
});

describe('factmill config', () => {
  test('sets, lists and unsets what services read at run time', async () => {
    const set = await Promise.all([
      factmill('config set queue.limit 60'),
      factmill('config set retry.strategy exponential'),
    ]);
    expect(set.map(({ code }) => code)).toEqual([0, 0]);
    expect(set[0]?.output).toBe('queue.limit is 60 now. Services follow within seconds.\n');
    expect(await readSettings(database)).toEqual({ 'queue.limit': 60, 'retry.strategy': 'exponential' });
    expect((await factmill('config list')).output.split('\n').sort().join('\n').trim()).toBe(
      'queue.limit\t60\nretry.strategy\t"exponential"',
    );
    expect((await factmill('config list --all')).output).toMatch(
      /^QUEUE_LIMIT +60 +config set, at run time$/m,
    );
    expect((await factmill('config unset queue.limit')).output).toMatch(
      /^queue\.limit is what the environment/,
    );
    expect(await readSettings(database)).toEqual({ 'retry.strategy': 'exponential' });
  });

  test('refuses other names and values', async () => {
    const refusals = [
      ['config set queue.limit many', /a whole number from 0/],
      ['config set retry.interval_ms 0', /a whole number from 1/],
      ['config set retry.strategy sometimes', /fixed or exponential/],
      ['config set constructor 1', /no setting of this name; known are queue\.limit/],
    ] as const;
    await Promise.all(
      refusals.map(async ([args, sentence]) => {
        const { code, output } = await factmill(args);
        expect(code).toBe(1);
        expect(output).toMatch(sentence);
      }),
    );
    expect(await readSettings(database)).toEqual({ 'retry.strategy': 'exponential' });
  });
});

describe('a person’s own settings (A18)', () => {
  test('are set, listed and unset without any instance, in a file of their own', async () => {
    const file = join(cwd, 'factmill', 'config.json');
    const set = await factmill('config set user_id steve', {});
    expect([set.code, set.output]).toEqual([0, `user_id is steve now, in ${file}.\n`]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ user_id: 'steve' });
    expect((await factmill('config list', {})).output).toBe('user_id\t"steve"\n');
    expect((await factmill('config set url ftp://x', {})).output).toBe(
      'factmill: url must be an http or https address.\n',
    );
    expect((await factmill('config unset user_id', {})).code).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({});
  });
});

describe('migrate', () => {
  test('needs the database', async () => {
    expect((await factmill('migrate', {})).output).toMatch(
      /^factmill: DATABASE_URL has to be set: this command/,
    );
  });
});

describe('factmill models', () => {
  test('loads the configured models and prints what pins them', async () => {
    await writeTinyModel(join(cwd, 'encoder'), tinyEncoder({ words: { cat: [1, 0] } }));
    await writeTinyModel(join(cwd, 'cross'), tinyCrossEncoder(['cat']));
    const { code, output } = await factmill('models', {
      EMBEDDING_PROVIDER: 'onnx',
      EMBEDDING_MODEL: './encoder',
      RERANK_PROVIDER: 'onnx',
      RERANK_MODEL: join(cwd, 'cross'),
    });
    expect(code).toBe(0);
    expect(output).toMatch(
      /^encoder: 2 dimensions, pooling mean, its vectors are called onnx:encoder@[0-9a-f]{12}; 64 tokens .*\nEMBEDDING_MODEL_SHA256=[0-9a-f]{64}\ncross: a cross-encoder; .*\nRERANK_MODEL_SHA256=[0-9a-f]{64}\n$/,
    );
  });

  test('says in one sentence what is wrong with one, and when there is none', async () => {
    const broken = await factmill('models', { RERANK_PROVIDER: 'onnx', RERANK_MODEL: join(cwd, 'nowhere') });
    expect([broken.code, broken.output]).toEqual([
      1,
      'factmill: The folder of RERANK_MODEL has no config.json.\n',
    ]);
    const none = await factmill('models', {});
    expect([none.code, none.output]).toEqual([
      0,
      'No model from ONNX files is configured (EMBEDDING_PROVIDER, RERANK_PROVIDER).\n',
    ]);
  });
});

describe('factmill calibrate', () => {
  test('measures the local model: distributions, thresholds with their rules, warnings, settings', async () => {
    const { code, output } = await factmill('calibrate', {});
    expect(code).toBe(0);
    expect(output).toMatch(/^en +different +38 +0\.736 /m);
    expect(output).toMatch(/^zh +unrelated +4 /m);
    expect(output).toMatch(/^minSimilarity 0\.23 \(now 0\.23, measured\): keeps at least 95 %/m);
    expect(output).toMatch(/^Warning: Rewordings and different facts overlap/m);
    expect(output).toMatch(/^Warning: zh: .*does not read this language/m);
    expect(output).toMatch(/^EMBEDDING_DUPLICATE_SIMILARITY=0\.998$/m);
  });

  test('measures the operator’s own model; what it finds can be set', async () => {
    const model = await createScriptedModel();
    const env = { EMBEDDING_BASE_URL: model.url, EMBEDDING_MODEL: 'house-model' };
    const { code, output } = await factmill('calibrate --json', env);
    expect(code).toBe(0);
    const profile = JSON.parse(output) as Record<string, unknown>;
    expect(profile).toMatchObject({
      id: 'house-model@256',
      dimensions: 256,
      origin: { minSimilarity: 'measured' },
    });
    const measured = loadConfig({
      ...env,
      EMBEDDING_MIN_SIMILARITY: String(profile['minSimilarity']),
      EMBEDDING_RELATED_SIMILARITY: String(profile['relatedSimilarity']),
      EMBEDDING_DUPLICATE_SIMILARITY: String(profile['duplicateSimilarity']),
    });
    const embedder = createEmbedder(measured.embedding);
    const { minSimilarity, relatedSimilarity, duplicateSimilarity } = profile;
    expect(await embedder.loadProfile()).toMatchObject({
      minSimilarity,
      relatedSimilarity,
      duplicateSimilarity,
      origin: {
        minSimilarity: 'configured',
        relatedSimilarity: 'configured',
        duplicateSimilarity: 'configured',
      },
    });
    await embedder.close();
    await model.close();
  });

  test('without a model, or with one that is away, it says so', async () => {
    const none = await factmill('calibrate', { EMBEDDING_PROVIDER: 'none' });
    expect([none.code, none.output]).toEqual([
      1,
      'factmill: There is no embedding model to measure: EMBEDDING_PROVIDER is none.\n',
    ]);
    const away = await factmill('calibrate', {
      EMBEDDING_BASE_URL: 'http://127.0.0.1:1',
      EMBEDDING_MODEL: 'm',
    });
    expect(away.code).toBe(1);
    expect(away.output).toMatch(/^factmill: .+\n$/);
  });
});

describe('a bad environment', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['nothing to work on', {}, /^factmill: No running instance was found in the data folder \(DATA_DIR\)/],
    [
      'a gateway that is away',
      { FACTMILL_URL: 'http://127.0.0.1:1' },
      /^factmill: Factmill does not answer\./,
    ],
    ['a gateway without an address', { FACTMILL_URL: 'hidden' }, /^factmill: --url has to be an http/],
    ['a bad address', { DATABASE_URL: 'mysql://user:hidden@host/db' }, /^factmill: .*DATABASE_URL/],
    [
      'a database that is away',
      { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/db' },
      /^factmill: The database cannot be reached\./,
    ],
  ])('%s is one sentence without secrets', async (_what, env, sentence) => {
    const { code, output } = await factmill('config list', env);
    expect(code).toBe(1);
    expect(output).toMatch(sentence);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).not.toContain('hidden');
  });
});
