import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type Attempt, INJECTION_CORPUS } from '@factmill/testkit';
import { toCandidates } from '../candidates.ts';
import { getPreset } from '../presets.ts';
import { readOwnPrompts } from '../prompts/own-prompts.fixture.ts';
import { buildPrompt } from '../prompts/build-prompt.ts';
import { parseReply } from '../reply/parse-reply.ts';
import { buildTranscript } from '../transcript/build-transcript.ts';
import type { TranscriptMessage } from '../types.ts';

const now = new Date('2024-06-01T00:00:00Z');
const prompts = readOwnPrompts();

function messagesOf(attempt: Attempt): TranscriptMessage[] {
  return attempt.messages.map(({ role, content }, index) => ({
    id: `m${index}`,
    seq: index,
    role,
    content,
    createdAt: now,
  }));
}

/** What is stored when the model obeys the attacker. */
function storedOf(attempt: Attempt): string[] {
  const preset = getPreset(attempt.preset)!;
  const parsed = parseReply(attempt.reply, { allowLine: preset.reply === 'line' });
  return toCandidates(parsed, { messages: messagesOf(attempt), preset, now, timeZone: 'UTC' }).candidates.map(
    ({ content }) => content,
  );
}

describe('a model that obeys the attacker', () => {
  test.each(INJECTION_CORPUS)('$name', (attempt) => {
    expect(storedOf(attempt).toSorted()).toEqual([...attempt.through, ...attempt.honest].toSorted());
  });

  test('has been tried often enough, and each attempt once', () => {
    expect(new Set(INJECTION_CORPUS.map(({ name }) => name)).size).toBe(INJECTION_CORPUS.length);
    expect(INJECTION_CORPUS.length).toBeGreaterThanOrEqual(40);
  });

  test('what gets through is told in docs/security.md, no more and no less', () => {
    const text = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
    const [, after = ''] = text.split('## What gets through\n');
    const [section = ''] = after.split('\n## ');
    const told = [...section.matchAll(/^\| (?!attempt|-)([^|]+?) +\|/gm)].map(([, name]) => name);
    const through = INJECTION_CORPUS.filter((attempt) => attempt.through.length > 0);
    expect(told.toSorted()).toEqual(through.map(({ name }) => name).toSorted());
    expect(text).toContain(`${INJECTION_CORPUS.length} attempts`);
    expect(text).toContain(`${through.length} get something through`);
  });
});

describe('a prompt with an attack in it', () => {
  test.each(INJECTION_CORPUS)('$name: keeps its shape', (attempt) => {
    const preset = getPreset(attempt.preset)!;
    const transcript = buildTranscript(messagesOf(attempt), preset);
    const { messages } = buildPrompt({ prompts, preset, transcript, knownMemories: [], now });
    const text = messages.at(-1)?.content ?? '';
    expect(text.match(/<\/?conversation>/g)).toEqual(['<conversation>', '</conversation>']);
    expect(text).not.toMatch(/<\/?system>|<\|im_\w+\|>|[\u{e0000}-\u{e007f}]/u);
    const inside = text.slice(text.indexOf('<conversation>'), text.indexOf('</conversation>'));
    // Whoever writes a line that looks like another's block gets it set in.
    const users = attempt.messages.filter(({ role }) => role === 'user').length;
    expect((inside.match(/^User(?: \(.*\))?: /gm) ?? []).length).toBeLessThanOrEqual(users);
    expect(inside).not.toMatch(/^System: /m);
  });
});
