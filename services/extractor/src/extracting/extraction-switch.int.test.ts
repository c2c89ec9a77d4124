import { writeSetting } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { findExtraction } from '@factmill/database';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(...options: Parameters<typeof openExtractorUnderTest>): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest(...options);
  opened.push(under);
  under.model.setReply(({ endpoint }) =>
    endpoint === 'chat' ? { content: '{"facts":{"home":"Lisbon"},"context":[]}' } : undefined,
  );
  await under.start();
  return under;
}

const asked = (under: ExtractorUnderTest) =>
  under.model.calls.filter(({ endpoint }) => endpoint === 'chat').length;

describe.each(['redis', 'postgres'] as const)('the extraction switch (A19), queue on %s', (backend) => {
  test('off: what is accepted waits and no model is asked; on again: all of it is extracted, once', async () => {
    const under = await open({ backend, env: { EXTRACTION_ENABLED: 'false' } });
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((conversationId) =>
        under.extract([{ content: 'I live in Lisbon.' }], { conversationId, userId: conversationId }),
      ),
    );
    await waitFor(async () => (await under.queues.pausedMs('extraction')) > 0, {
      describe: 'the queue to rest',
    });
    const rows = await Promise.all(ids.map((id) => findExtraction(under.database, TENANT, id)));
    expect(rows.map((row) => [row?.state, row?.attempts])).toEqual(ids.map(() => ['pending', 0]));
    expect(asked(under)).toBe(0);

    await writeSetting(under.database, 'extraction.enabled', true);
    for (const id of ids) expect(await under.ledger(id)).toMatchObject({ state: 'done', added: 1 });
    expect(asked(under)).toBe(3);
  });

  test('it is turned off while the extractor runs', async () => {
    const under = await open({ backend });
    await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }]));
    await writeSetting(under.database, 'extraction.enabled', false);
    await waitFor(
      async () => {
        await under.extract([{ content: 'I live in Porto.' }]);
        return (await under.queues.pausedMs('extraction')) > 0;
      },
      { describe: 'the switch to arrive' },
    );
    const before = asked(under);
    const waiting = await under.extract([{ content: 'I live in Faro.' }]);
    await writeSetting(under.database, 'extraction.enabled', null);
    expect(await under.ledger(waiting)).toMatchObject({ state: 'done' });
    expect(asked(under)).toBeGreaterThan(before);
  });
});
