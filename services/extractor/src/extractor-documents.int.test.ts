import { findExtraction } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from './extractor.fixture.ts';
import { storeDocument, type StoredDocument } from './store-document.fixture.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(...options: Parameters<typeof openExtractorUnderTest>): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest(...options);
  opened.push(under);
  await under.start();
  return under;
}

/** Stores documents and waits for their vectors. */
async function know(under: ExtractorUnderTest, ...documents: StoredDocument[]): Promise<void> {
  for (const document of documents) await storeDocument(under.database, document);
  await waitFor(
    async () =>
      (await under.database.query('select 1 from document_chunks where embedding_pending_since is not null'))
        .rowCount === 0,
    { timeoutMs: 20_000, describe: 'the vectors of the documents' },
  );
}

async function contents(under: ExtractorUnderTest): Promise<string[]> {
  return (await under.memories('maya')).map((memory) => memory.content).toSorted();
}

const prompts = (under: ExtractorUnderTest) =>
  under.model.calls
    .filter((call) => call.endpoint === 'chat')
    .map((call) => JSON.stringify(call.body['messages']));

function replies(under: ExtractorUnderTest, facts: Record<string, string>, context: [string, string][] = []) {
  under.model.setReply((request) =>
    request.endpoint === 'chat'
      ? { content: JSON.stringify({ facts, context: context.map(([q, a]) => ({ q, a })) }) }
      : undefined,
  );
}

describe('what a document says', () => {
  test('is shown to the model and not stored a second time; the ledger counts it', async () => {
    const under = await open();
    await know(under, {
      title: 'Profile',
      chunks: ['Known facts.\n\n', 'The user lives in Lisbon, near the river.\n\n', 'The user likes fado.'],
    });
    replies(under, { home: 'Lisbon', job: 'nurse' }, [['What does the user like?', 'The user likes fado!']]);
    const row = await under.ledger(
      await under.extract([{ content: 'Hello again from Lisbon.' }], { preset: 'standard' }),
    );
    expect(row).toMatchObject({ state: 'done', added: 1, rejected: 2, degraded: null });
    expect(await contents(under)).toEqual(["The user's job is nurse."]);
    const [prompt] = prompts(under);
    expect(prompt).toContain('# Profile');
    expect(prompt).toContain('The user lives in Lisbon, near the river.');
  });

  test('is found by meaning when the words stand in another order, and not when a name differs', async () => {
    const under = await open({ env: { EMBEDDING_DUPLICATE_SIMILARITY: '0.85' } });
    await know(under, {
      chunks: ['Bruno is the dog of the user called Maya.\n\n', 'In Porto the user owns a boat.'],
    });
    const say = async (line: string) => {
      under.model.setReply((request) => (request.endpoint === 'chat' ? { content: line } : undefined));
      return under.ledger(
        await under.extract([{ content: 'I am Maya, my dog Bruno was Rex before.' }], {
          preset: 'single-fact',
        }),
      );
    };
    expect(await say('The dog of the user called Maya is Bruno.')).toMatchObject({ added: 0, rejected: 1 });
    expect(await say('The dog of the user called Maya is Rex.')).toMatchObject({ added: 1, rejected: 0 });
    expect(await contents(under)).toEqual(['The dog of the user called Maya is Rex.']);
  });

  test('does not keep out a fact that corrects what is remembered', async () => {
    const under = await open();
    replies(under, { home: 'Lisbon' });
    await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }], { preset: 'standard' }));
    await know(under, { chunks: ['The user lives in Porto.'] });
    replies(under, { home: 'Porto' });
    const row = await under.ledger(
      await under.extract([{ content: 'I live in Porto now.' }], { preset: 'standard' }),
    );
    expect(row).toMatchObject({ updated: 1, rejected: 0 });
    expect(await contents(under)).toEqual(['The user lives in Porto.']);
  });

  test('counts wherever it is attached and for this user only; the prompt shows what belongs to the conversation', async () => {
    const under = await open();
    const conversationId = randomUUID();
    await know(
      under,
      { title: 'Of all', chunks: ['Everybody may know this.'] },
      { title: 'Of this', chunks: ['Only here one knows this.'], conversationId },
      { title: 'Of another', chunks: ['The user lives in Lisbon.'], conversationId: randomUUID() },
      { title: 'Of a project', chunks: ['The user has a boat.'], project: 'boats' },
      { title: 'Of somebody else', userId: 'noor', chunks: ["The user's job is nurse."] },
    );
    replies(under, { home: 'Lisbon', job: 'nurse' });
    const row = await under.ledger(
      await under.extract([{ content: 'Some words.' }], { preset: 'standard', conversationId }),
    );
    expect(row).toMatchObject({ added: 1, rejected: 1 });
    expect(await contents(under)).toEqual(["The user's job is nurse."]);
    const [prompt] = prompts(under);
    for (const title of ['# Of all', '# Of this']) expect(prompt).toContain(title);
    for (const title of ['# Of another', '# Of a project', '# Of somebody else'])
      expect(prompt).not.toContain(title);
  });

  describe('at length', () => {
    const filler = Array.from(
      { length: 60 },
      (_, n) =>
        `Section ${n} lists parts, screws and nuts of machine ${n} in great length, page by page, for the storekeeper of hall ${n}.\n\n`,
    );
    const MANUAL = {
      title: 'Manual',
      chunks: [...filler, 'The espresso machine is descaled with citric acid every month.\n\n', ...filler],
    };
    const ASKED = [{ content: 'How is the espresso machine descaled every month?' }];

    test('is shown whole as long as it fits into the context of the model', async () => {
      const under = await open();
      await know(under, MANUAL);
      replies(under, {});
      const row = await under.ledger(await under.extract(ASKED, { preset: 'standard' }));
      expect(row.degraded).toBeNull();
      expect(JSON.parse(prompts(under)[0] ?? '').at(-1).content).toContain(MANUAL.chunks.join('').trim());
    });

    test('is shown in part beyond it: what is next to the conversation; the ledger says so', async () => {
      const under = await open({ env: { LLM_CONTEXT_TOKENS: '4096' } });
      await know(under, MANUAL);
      replies(under, {});
      const row = await under.ledger(await under.extract(ASKED, { preset: 'standard' }));
      expect(row.degraded).toBe('documents_cut');
      const [prompt = ''] = prompts(under);
      expect(prompt).toContain('descaled with citric acid');
      expect(prompt.length).toBeLessThan(12_000);
    });

    test('is shortened for a model that refuses the prompt as too long', async () => {
      const under = await open();
      await know(under, MANUAL);
      under.model.setReply((request) => {
        if (request.endpoint !== 'chat') return undefined;
        return JSON.stringify(request.body).length > 12_000
          ? { status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } }
          : { content: JSON.stringify({ facts: { home: 'Lisbon' }, context: [] }) };
      });
      const row = await under.ledger(
        await under.extract([{ content: 'I live in Lisbon.' }], { preset: 'standard' }),
      );
      expect(row).toMatchObject({ state: 'done', added: 1, attempts: 1, degraded: 'documents_cut' });
      expect(prompts(under)).toHaveLength(2);
    });
  });

  test('does not matter to presets that leave documents out', async () => {
    const under = await open();
    await know(under, { title: 'Profile', chunks: ['The user lives in Lisbon.'] });
    replies(under, { home: 'Lisbon' });
    const row = await under.ledger(
      await under.extract([{ content: 'Hello.' }], { preset: 'facts-and-context' }),
    );
    expect(row).toMatchObject({ added: 1, rejected: 0 });
    expect(prompts(under)[0]).not.toContain('# Profile');
  });

  test('is found by its words while the embedding model is away', async () => {
    const under = await open();
    await storeDocument(under.database, { title: 'Profile', chunks: ['The user lives in Lisbon.'] });
    under.model.setReply((request) =>
      request.endpoint === 'chat'
        ? { content: JSON.stringify({ facts: { home: 'Lisbon', job: 'nurse' }, context: [] }) }
        : { status: 503 },
    );
    const id = await under.extract([{ content: 'Hello.' }], { preset: 'standard' });
    expect(await under.ledger(id)).toMatchObject({ state: 'done', added: 1, rejected: 1 });
    expect(prompts(under)[0]).toContain('# Profile');
    expect((await findExtraction(under.database, TENANT, id))?.degraded).toBe('embedding_unavailable');
  });
});
