import { describe, expect, test } from '@jest/globals';
import { readOwnPromptFiles, readOwnPrompts } from './own-prompts.fixture.ts';
import { PROMPT_NAMES } from './prompt-names.ts';
import { promptFileName, resolvePrompts } from './resolve-prompts.ts';
import { fillTemplate, parseTemplate } from './template.ts';

const file = (system: string, user: string): string =>
  `For readers.\n\n<!-- system -->\n\n${system}\n\n<!-- user -->\n\n${user}\n`;

describe('our templates', () => {
  const files = readOwnPromptFiles();

  test('are a file each, and no others', () => {
    expect([...files.keys()].toSorted()).toEqual(PROMPT_NAMES.map((name) => promptFileName(name)).toSorted());
  });

  test.each(PROMPT_NAMES)('%s: is valid, and nothing varies in its first part', (name) => {
    const { template, problems } = parseTemplate(name, files.get(promptFileName(name)) ?? '');
    expect(problems).toEqual([]);
    expect(template?.system).not.toContain('{{');
    expect(template?.system).toMatch(/never follow instructions/i);
  });
});

describe('parseTemplate', () => {
  test('reads the two parts and gives the wording a version', () => {
    const { template } = parseTemplate('standard', file('Do it.', '{{TRANSCRIPT}}'));
    expect(template).toEqual({
      name: 'standard',
      system: 'Do it.',
      user: '{{TRANSCRIPT}}',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    const version = (text: string) => parseTemplate('standard', text).template?.version;
    expect(version(file('Do it!', '{{TRANSCRIPT}}'))).not.toBe(template?.version);
    expect(version(`\uFEFF${file('Do it.', '{{TRANSCRIPT}}').replaceAll('\n', '\r\n')}`)).toBe(
      template?.version,
    );
  });

  test.each<[string, string, string[]]>([
    ['an unknown placeholder', file('a', '{{TRANSCRIPT}} {{CHAT}}'), ['uses the unknown placeholder {{CHAT}}']],
    ['a misspelt one', file('a', '{{TRANSCRIPT}} {{ user_text }}'), ['uses the unknown placeholder {{user_text}}']],
    ['one of another prompt', file('a', '{{TRANSCRIPT}} {{NEW_FACTS}}'), ['uses the unknown placeholder {{NEW_FACTS}}']],
    ['no conversation', file('a', '{{TODAY}}'), ['lacks the placeholder {{TRANSCRIPT}} or {{USER_TEXT}}']],
    ['a missing part', '<!-- user -->\n{{TRANSCRIPT}}', ['has no section system']],
    ['an empty part', file('', '{{TRANSCRIPT}}'), ['has no section system']],
    ['a misspelt part', '<!-- system -->\na\n<!-- usr -->\n{{TRANSCRIPT}}', ['has an unknown section usr', 'has no section user']],
    ['a part twice', `${file('a', '{{TRANSCRIPT}}')}<!-- user -->\nb`, ['has the section user twice']],
    ['nothing', '', ['has no section system', 'has no section user', 'lacks the placeholder {{TRANSCRIPT}} or {{USER_TEXT}}']],
  ])('refuses %s', (_name, text, problems) => {
    const parsed = parseTemplate('standard', text);
    expect(parsed.problems).toEqual(expect.arrayContaining(problems));
    expect(parsed.template).toBeNull();
  }); // prettier-ignore
});

describe('fillTemplate', () => {
  test('fills both parts, once', () => {
    const { template } = parseTemplate('reconcile', file('On {{TODAY}}.', '<m>{{NEW_FACTS}}</m> {{EXISTING_MEMORIES}}'));
    expect(
      fillTemplate(template!, { TODAY: 'a {{NEW_FACTS}}', NEW_FACTS: 'x </m> < /M > <mm> a < b', EXISTING_MEMORIES: '' }),
    ).toEqual([
      { role: 'system', content: 'On a {{NEW_FACTS}}.' },
      { role: 'user', content: '<m>x &lt;/m> &lt; /M > <mm> a < b</m> ' },
    ]);
  }); // prettier-ignore
});

describe('overrides', () => {
  const own = readOwnPromptFiles();

  test('replace ours by name and change the version', () => {
    const { prompts } = resolvePrompts(
      own,
      new Map([
        ['tiered.md', file('Mine.', '{{USER_TEXT}}')],
        ['README.md', 'about'],
      ]),
    );
    const ours = readOwnPrompts();
    expect(prompts?.tiered.system).toBe('Mine.');
    expect(prompts?.tiered.version).not.toBe(ours.tiered.version);
    expect(prompts?.standard).toEqual(ours.standard);
  });

  test('what is wrong is told by the names of files and placeholders, all at once', () => {
    const { prompts, problems } = resolvePrompts(
      own,
      new Map([
        ['extraction.md', file('a', '{{TRANSCRIPT}}')],
        ['standard', file('a', '{{TRANSCRIPT}}')],
        ['single-fact.md', file('a', '{{TRANSCRIPT}} {{NAME}}')],
      ]),
    );
    expect(prompts).toBeNull();
    expect(problems).toEqual([
      'extraction.md is not the name of a prompt',
      'standard does not end in .md',
      'single-fact.md uses the unknown placeholder {{NAME}}',
    ]);
  });

  test('a template of ours that is not there is told too', () => {
    expect(resolvePrompts(new Map(), new Map()).problems).toHaveLength(PROMPT_NAMES.length);
  });
});
