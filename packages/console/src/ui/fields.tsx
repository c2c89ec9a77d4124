import { type ReactNode, useId } from 'react';

type FieldProps = Readonly<{ label: string; hint?: string; error?: string | undefined; className?: string }>;
type ControlProps = Readonly<{ id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }>;

/** A label, a control, and below it what to know about it or what is wrong with it. */
function Field({
  label,
  hint,
  error,
  className = '',
  children,
}: FieldProps & Readonly<{ children: (control: ControlProps) => ReactNode }>) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? 'hint' : 'hint bad'}>
          {note}
        </p>
      )}
    </div>
  );
}

type Valued<T> = Readonly<{ value: T; onChange: (value: T) => void }>;

export function TextField({
  value,
  onChange,
  type = 'text',
  rows,
  placeholder,
  required,
  list,
  ...field
}: FieldProps &
  Valued<string> &
  Readonly<{
    type?: 'text' | 'search' | 'number' | 'date' | 'datetime-local' | 'url';
    rows?: number;
    placeholder?: string;
    required?: boolean;
    list?: readonly string[];
  }>) {
  return (
    <Field {...field}>
      {(control) =>
        rows === undefined ? (
          <>
            <input
              {...control}
              type={type}
              value={value}
              step={type === 'number' ? 'any' : undefined}
              onChange={(event) => onChange(event.target.value)}
              placeholder={placeholder}
              required={required}
              spellCheck={false}
              autoComplete="off"
              list={list === undefined ? undefined : `${control.id}-list`}
            />
            {list !== undefined && (
              <datalist id={`${control.id}-list`}>
                {list.map((item) => (
                  <option key={item}>{item}</option>
                ))}
              </datalist>
            )}
          </>
        ) : (
          <textarea
            {...control}
            rows={rows}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            placeholder={placeholder}
            required={required}
          />
        )
      }
    </Field>
  );
}

export type Choice = Readonly<{ value: string; label: string }>;

/** A choice among few, as the browser shows it: by keyboard and on phones as people know it. */
export function SelectField({
  value,
  onChange,
  choices,
  ...field
}: FieldProps & Valued<string> & Readonly<{ choices: readonly Choice[] }>) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  value,
  onChange,
  hint,
}: Valued<boolean> & Readonly<{ label: string; hint?: string }>) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={value}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-note`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Choices out of codes, with a first one for none of them. */
export function choicesOf(codes: readonly string[], none?: string): Choice[] {
  const choices = codes.map((code) => ({ value: code, label: code.replaceAll('_', ' ') }));
  return none === undefined ? choices : [{ value: '', label: none }, ...choices];
}
