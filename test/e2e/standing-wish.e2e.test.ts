import { createClient } from '@factmill/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSystem, type SystemUnderTest, WITHOUT_MODEL } from '../support/system-under-test.ts';

let system: SystemUnderTest;
beforeAll(async () => {
  system = await openSystem({
    ...WITHOUT_MODEL,
    EMBEDDING_PROVIDER: 'local',
    CHAT_MEMORY: 'true',
    CHAT_MEMORY_TIMEOUT_MS: '10000',
    AUTH: 'none',
  });
});
afterAll(() => system.close());

test.each([
  ['From now on, answer in bullet points.', 'The user asks to always answer in bullet points.'],
  ['以后请先给结论。', '用户要求：先给结论。'],
])('%s is in every chat, whatever that is about', async (said, wish) => {
  const client = createClient({ baseUrl: system.url, userId: said });
  await client.memories.batch({
    memories: Array.from({ length: 30 }, (_, at) => ({ content: `Cooked pumpkin soup number ${at}.` })),
  });
  const { id } = await client.extractions.create({ messages: [{ role: 'user', content: said }] });
  await client.extractions.waitFor(id ?? '', { timeoutMs: 30_000 });
  for (const content of ['What goes well with pumpkin soup?', 'Thanks!']) {
    await client.chat.complete({ model: 'chat', user: said, messages: [{ role: 'user', content }] });
    const sent = system.model.calls.at(-1)?.body['messages'] as { content: string }[];
    expect(sent.map((message) => message.content).join('\n')).toContain(wish);
  }
});
