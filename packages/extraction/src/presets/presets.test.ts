import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { presetNameSchema } from '@factmill/contracts';
import { readOwnPrompts } from '../prompts/own-prompts.fixture.ts';
import { getPreset, PRESET_NAMES, presets } from '../presets.ts';
import { presetRows } from './preset-table.fixture.ts';

describe('presets', () => {
  test('are those that requests and configuration may name', () => {
    expect([...PRESET_NAMES].toSorted()).toEqual([...presetNameSchema.options].toSorted());
    expect(getPreset('constructor')).toBeUndefined();
  });

  test.each([...presets])('%s knows its name, and has a template of that name', (name, preset) => {
    expect(preset.name).toBe(name);
    expect(preset.prompt).toBe(name);
  });

  test.each([...presets])('%s asks its model for secrets just where it keeps them', (_name, preset) => {
    const prompt = readOwnPrompts()[preset.prompt].system;
    expect(prompt).toContain('passwords, keys and other secrets');
    expect(/^- passwords, keys and other secrets$/m.test(prompt)).toBe(!preset.keepsCredentials);
    expect(prompt.includes('with the password or key as they wrote it')).toBe(preset.keepsCredentials);
  });

  test('docs/presets.md has the table of what each sets', () => {
    const text = readFileSync(new URL('../../../../docs/presets.md', import.meta.url), 'utf8');
    const table = text.slice(text.indexOf('## What each sets'));
    const rows = table
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(rows).toEqual(presetRows());
  });

  test('the default of source E is one of them (E14)', () => {
    expect(presets.get('reconciled')).toMatchObject({
      trigger: { scope: 'ephemeral' },
      transcript: 'user-only',
      reconcile: 'always',
      conversationSummary: true,
      maxEntries: 500,
      retrieval: { mode: 'enhanced', recencyWeight: 0.2, scoreThreshold: 0.35, mmrLambda: 0.7 },
    });
  });
});
