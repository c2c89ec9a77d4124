import { KINDS, MODES } from '../codes.ts';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import type { Setting, SettingField } from './settings.ts';

const NUMBERS: readonly (readonly [SettingField, string, string])[] = [
  ['limit', 'Results', '15'],
  ['token_budget', 'Token budget', 'none'],
  ['min_similarity', 'Least similarity', 'of the model'],
  ['min_relevance', 'Least relevance', 'of the mode'],
  ['recency_weight', 'Weight of recency', 'of the mode'],
  ['mmr_lambda', 'MMR λ', 'of the mode'],
];
const TEXTS: readonly (readonly [SettingField, string])[] = [
  ['category', 'Category'],
  ['tag', 'Tag'],
  ['project', 'Project'],
  ['scope', 'Conversation'],
];
const FLAGS: readonly (readonly [SettingField, string])[] = [
  ['rerank', 'Rerank'],
  ['include_turns', 'Stored messages compete'],
  ['include_pending', 'Also those not extracted'],
];
const YES_NO = [
  { value: '', label: 'default' },
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

/** Everything that can be set of a search; what is left empty is as the service does it. */
export function SettingForm({
  legend,
  setting,
  set,
}: Readonly<{ legend: string; setting: Setting; set: (changes: Partial<Setting>) => void }>) {
  const isInUse = Object.entries(setting).some(([name, value]) => name !== 'mode' && value !== '');
  return (
    <fieldset className="setting">
      <legend>{legend}</legend>
      <div className="form-grid">
        <SelectField
          label="Mode"
          value={setting.mode}
          onChange={(mode) => set({ mode })}
          choices={choicesOf(MODES, 'default')}
        />
        <TextField
          label="As of"
          type="datetime-local"
          value={toLocal(setting.as_of)}
          onChange={(asOf) => set({ as_of: asOf })}
        />
      </div>
      <details open={isInUse}>
        <summary>Filters and weights</summary>
        <div className="form-grid">
          <SelectField
            label="Kind"
            value={setting.kind}
            onChange={(kind) => set({ kind })}
            choices={choicesOf(KINDS, 'any')}
          />
          {TEXTS.map(([field, label]) => (
            <TextField
              key={field}
              label={label}
              value={setting[field]}
              onChange={(value) => set({ [field]: value })}
            />
          ))}
          {NUMBERS.map(([field, label, placeholder]) => (
            <TextField
              key={field}
              label={label}
              type="number"
              value={setting[field]}
              onChange={(value) => set({ [field]: value })}
              placeholder={placeholder}
            />
          ))}
          {FLAGS.map(([field, label]) => (
            <SelectField
              key={field}
              label={label}
              value={setting[field]}
              onChange={(value) => set({ [field]: value })}
              choices={YES_NO}
            />
          ))}
        </div>
      </details>
    </fieldset>
  );
}

/** A moment as a `datetime-local` field takes it; links from elsewhere have it in UTC. */
function toLocal(moment: string): string {
  const at = new Date(moment);
  if (moment === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
