import { DEFAULT_TENANT_ID, saveEmbeddings } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { remember } from '../compressing/compression.fixture.ts';
import { type ExtractorUnderTest, openExtractorUnderTest } from '../extractor.fixture.ts';

let under: ExtractorUnderTest;
beforeEach(async () => {
  under = await openExtractorUnderTest();
});
afterEach(() => under.close());

async function embedded(): Promise<string[]> {
  const { rows } = await under.database.query<{ content: string }>(
    `select m.content from memory_embeddings e
     join memories m on m.id = e.memory_id and e.content_hash = m.content_hash
     join embedding_models l on l.id = e.model and l.state = 'active' order by m.content`,
  );
  return rows.map(({ content }) => content);
}

function untilEmbedded(...contents: string[]): Promise<boolean> {
  return waitFor(async () => JSON.stringify(await embedded()) === JSON.stringify(contents), {
    timeoutMs: 20_000,
    describe: 'the vectors',
  });
}

describe('at the start of an extractor', () => {
  test('missing and stale vectors are made up for, others are left alone', async () => {
    const [, edited = ''] = await remember(under, 'maya', [
      { content: 'a note' },
      { content: 'the old text' },
    ]);
    // Stored while embedding was off.
    await under.start();
    await untilEmbedded('a note', 'the old text');
    await under.database.query(
      `update memories set content = 'the new text', content_hash = sha256('the new text') where id = $1::uuid`,
      [edited],
    );
    const asked = under.model.calls.length;
    await under.start();
    await untilEmbedded('a note', 'the new text');
    const texts = under.model.calls.slice(asked).flatMap(({ body }) => body['input']);
    expect(texts).toContain('the new text');
    expect(texts).not.toContain('a note');
  });

  test('a newly configured model is built beside the one in use, then takes its place', async () => {
    const [id = ''] = await remember(under, 'maya', [{ content: 'a note' }]);
    await under.database.query(`select create_embedding_model('elsewhere@3', 3)`);
    await saveEmbeddings(under.database, 'elsewhere@3', [
      { tenantId: DEFAULT_TENANT_ID, memoryId: id, content: 'a note', vector: [1, 0, 0] },
    ]);
    const extractor = await under.start();
    await waitFor(
      async () => {
        const { rows } = await under.database.query<{ id: string; state: string }>(
          'select id, state from embedding_models order by id',
        );
        return rows.map(({ state }) => state).join() === 'retired,active';
      },
      { timeoutMs: 30_000, describe: 'the model to be in use' },
    );
    expect(await embedded()).toEqual(['a note']);
    const health = (await (await fetch(`${extractor.url}/health`)).json()) as { reembed: unknown };
    expect(health.reembed).toEqual([]);
    expect(under.log()).not.toContain('a note');
  });
});
