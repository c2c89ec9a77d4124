import { FactmillError } from '@factmill/client';
import type { Memory } from '@factmill/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { useTell } from '../ui/toasts.tsx';
import { UserField } from '../ui/user-field.tsx';
import { afterChange, LISTS, replaceInLists } from './memory-changes.ts';
import { type Draft, FIELD_LABELS, toDraft, toInput, toPatch } from './memory-draft.ts';

type FormProps = Readonly<{ onClose: () => void; userId: string; memory?: Memory }>;

/** Adds a memory by hand, or changes one. */
export function MemoryForm({ onClose, userId, memory }: FormProps) {
  const { session } = useAccess();
  const [draft, setDraft] = useState<Draft>(() => toDraft(memory, userId || (session.user_id ?? '')));
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const queries = useQueryClient();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () =>
      memory === undefined
        ? client.memories.create(toInput(draft))
        : client.memories.patch(memory.id, toPatch(draft, memory)),
    onSuccess: (saved) => {
      if (memory === undefined) void queries.resetQueries({ queryKey: LISTS });
      else replaceInLists(queries, saved);
      afterChange(queries);
      tell(memory === undefined ? 'The memory is saved.' : 'The memory is changed.');
      onClose();
    },
  });
  const errorOf = (field: string) => fieldError(save.error, field);
  return (
    <DialogForm
      title={memory === undefined ? 'Add a memory' : 'Edit the memory'}
      action="Save"
      sending={save}
      onClose={onClose}
    >
      {memory === undefined && (
        <>
          <UserField label="User" value={draft.userId} onChange={(user) => set({ userId: user })} />
          <SelectField
            label="Form"
            value={draft.form}
            onChange={(form) => set({ form: form as Draft['form'] })}
            choices={[
              { value: 'content', label: 'a statement' },
              { value: 'key', label: 'a key and its value' },
              { value: 'question', label: 'a question and its answer' },
            ]}
          />
        </>
      )}
      {draft.form === 'content' && (
        <TextField
          label={FIELD_LABELS.content}
          rows={3}
          required
          value={draft.content}
          onChange={(content) => set({ content })}
          error={errorOf('content')}
        />
      )}
      {draft.form === 'key' && (
        <KeyFields draft={draft} set={set} isNew={memory === undefined} errorOf={errorOf} />
      )}
      {draft.form === 'question' && <QuestionFields draft={draft} set={set} errorOf={errorOf} />}
      <DetailFields draft={draft} set={set} errorOf={errorOf} />
    </DialogForm>
  );
}

type PartProps = Readonly<{
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
  errorOf: (field: string) => string | undefined;
}>;

function KeyFields({ draft, set, isNew, errorOf }: PartProps & Readonly<{ isNew: boolean }>) {
  return (
    <>
      {isNew && (
        <TextField
          label={FIELD_LABELS.key}
          required
          value={draft.key}
          onChange={(key) => set({ key })}
          hint="A new value of the same key takes the place of the old one."
          error={errorOf('key')}
        />
      )}
      <TextField
        label={FIELD_LABELS.value}
        rows={2}
        required
        value={draft.value}
        onChange={(value) => set({ value })}
        error={errorOf('value')}
      />
    </>
  );
}

function QuestionFields({ draft, set, errorOf }: PartProps) {
  return (
    <>
      <TextField
        label={FIELD_LABELS.question}
        required
        value={draft.question}
        onChange={(question) => set({ question })}
        error={errorOf('question')}
      />
      <TextField
        label={FIELD_LABELS.answer}
        rows={2}
        required
        value={draft.answer}
        onChange={(answer) => set({ answer })}
        error={errorOf('answer')}
      />
    </>
  );
}

function DetailFields({ draft, set, errorOf }: PartProps) {
  return (
    <div className="form-grid">
      <TextField
        label={FIELD_LABELS.category}
        value={draft.category}
        onChange={(category) => set({ category })}
        error={errorOf('category')}
      />
      <SelectField
        label={FIELD_LABELS.tier}
        value={draft.tier}
        onChange={(tier) => set({ tier })}
        choices={choicesOf(['1', '2', '3'], 'as the service decides')}
      />
      <TextField
        label={FIELD_LABELS.importance}
        type="number"
        value={draft.importance}
        onChange={(importance) => set({ importance })}
        hint="0 to 1"
        error={errorOf('importance')}
      />
      <TextField
        label={FIELD_LABELS.tags}
        value={draft.tags}
        onChange={(tags) => set({ tags })}
        hint="separated by commas"
        error={errorOf('tags')}
      />
      <TextField
        label={FIELD_LABELS.project}
        value={draft.project}
        onChange={(project) => set({ project })}
        error={errorOf('project')}
      />
      <TextField
        label={FIELD_LABELS.expires}
        type="datetime-local"
        value={draft.expires}
        onChange={(expires) => set({ expires })}
        error={errorOf('expires_at')}
      />
    </div>
  );
}

function fieldError(error: Error | null, field: string): string | undefined {
  if (!(error instanceof FactmillError)) return undefined;
  return error.fields.find((entry) => entry.field === field || entry.field.startsWith(`${field}.`))?.message;
}
