import type { Client } from '@factmill/client';
import type { Memory } from '@factmill/contracts';

type Input = Parameters<Client['memories']['create']>[0];
type Patch = Parameters<Client['memories']['patch']>[1];

/** What is in the form, as text. */
export type Draft = Readonly<{
  userId: string;
  form: 'content' | 'key' | 'question';
  content: string;
  key: string;
  value: string;
  question: string;
  answer: string;
  category: string;
  tier: string;
  importance: string;
  tags: string;
  project: string;
  /** As a `datetime-local` field has it, in the time zone of the browser. */
  expires: string;
}>;

export const FIELD_LABELS = {
  content: 'Statement',
  key: 'Key',
  value: 'Value',
  question: 'Question',
  answer: 'Answer',
  category: 'Category',
  tier: 'Tier',
  importance: 'Importance',
  tags: 'Tags',
  project: 'Project',
  expires: 'Expires',
};

export function toDraft(memory: Memory | undefined, userId: string): Draft {
  return {
    userId: memory?.user_id ?? userId,
    form: formOf(memory),
    content: memory?.content ?? '',
    key: memory?.key ?? '',
    value: memory?.value ?? '',
    question: memory?.question ?? '',
    answer: memory?.answer ?? '',
    category: memory?.category ?? '',
    tier: memory?.tier.toString() ?? '',
    importance: memory?.importance.toString() ?? '',
    tags: memory?.tags.join(', ') ?? '',
    project: memory?.project ?? '',
    expires: memory?.expires_at == null ? '' : toLocal(memory.expires_at),
  };
}

function formOf(memory: Memory | undefined): Draft['form'] {
  if (memory?.key != null) return 'key';
  return memory?.question == null ? 'content' : 'question';
}

/** What creates the memory; fields that were left empty are the service's to decide. */
export function toInput(draft: Draft): Input {
  const { userId, category, tier, importance, tags, project, expires } = draft;
  return {
    ...textsOf(draft),
    ...(draft.form === 'key' ? { key: draft.key.trim() } : {}),
    ...(userId === '' ? {} : { user_id: userId }),
    ...(category === '' ? {} : { category: category.trim() }),
    ...(tier === '' ? {} : { tier: Number(tier) as 1 | 2 | 3 }),
    ...(importance === '' ? {} : { importance: Number(importance) }),
    ...(tags.trim() === '' ? {} : { tags: toTags(tags) }),
    ...(project === '' ? {} : { project: project.trim() }),
    ...(expires === '' ? {} : { expires_at: new Date(expires).toISOString() }),
  };
}

/** The fields that differ from those of the memory. */
export function toPatch(draft: Draft, memory: Memory): Patch {
  const before = toDraft(memory, memory.user_id);
  const isChanged = (name: keyof Draft) => draft[name] !== before[name];
  const changed = Object.entries(textsOf(draft)).filter(([name]) => isChanged(name as keyof Draft));
  return {
    ...Object.fromEntries(changed),
    ...(isChanged('category') && draft.category !== '' ? { category: draft.category.trim() } : {}),
    ...(isChanged('tier') && draft.tier !== '' ? { tier: Number(draft.tier) as 1 | 2 | 3 } : {}),
    ...(isChanged('importance') && draft.importance !== '' ? { importance: Number(draft.importance) } : {}),
    ...(isChanged('tags') ? { tags: toTags(draft.tags) } : {}),
    ...(isChanged('project') ? { project: draft.project.trim() || null } : {}),
    ...(isChanged('expires')
      ? { expires_at: draft.expires === '' ? null : new Date(draft.expires).toISOString() }
      : {}),
  };
}

function textsOf({ form, content, value, question, answer }: Draft) {
  if (form === 'key') return { value };
  return form === 'question' ? { question, answer } : { content };
}

function toTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function toLocal(timestamp: string): string {
  const at = new Date(timestamp);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
