import { type ReactNode, useState } from 'react';
import { formatAgo, formatTime } from '../text/format.ts';
import { Button } from './button.tsx';

export type Tone = 'plain' | 'ok' | 'warn' | 'bad' | 'accent';

/** A word in a coloured frame; the colour says nothing that the word does not. */
export function Badge({ tone = 'plain', children }: Readonly<{ tone?: Tone; children: ReactNode }>) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** A moment: exact, or how long ago with the exact time on hover. */
export function Time({ at, ago }: Readonly<{ at: string | null | undefined; ago?: boolean }>) {
  if (at === null || at === undefined) return <span className="muted">–</span>;
  const exact = formatTime(at);
  return (
    <time dateTime={at} title={`${exact} (${at})`}>
      {ago === true ? formatAgo(at, Date.now()) : exact}
    </time>
  );
}

/** A figure with what it counts below it. */
export function Figure({
  label,
  value,
  tone = 'plain',
}: Readonly<{ label: string; value: ReactNode; tone?: Tone }>) {
  return (
    <div className={`figure ${tone}`}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Figures({ children }: Readonly<{ children: ReactNode }>) {
  return <dl className="figures">{children}</dl>;
}

/** Names and values below each other; those without a value are left out. */
export function Facts({ facts }: Readonly<{ facts: Readonly<Record<string, ReactNode>> }>) {
  return (
    <dl className="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Copies a text, and says so. */
export function CopyButton({ text, label }: Readonly<{ text: string; label: string }>) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <>
      <Button onClick={() => void copy()} onBlur={() => setState('idle')}>
        {state === 'copied' ? 'Copied' : label}
      </Button>
      <span role="status" className={state === 'refused' ? 'bad' : 'unseen'}>
        {state === 'copied' && 'Copied'}
        {state === 'refused' && 'The browser does not allow copying; select the text instead.'}
      </span>
    </>
  );
}

/** The head of a page, which takes the title of the window too. */
export function PageHead({
  title,
  name,
  children,
}: Readonly<{ title: ReactNode; name: string; children?: ReactNode }>) {
  return (
    <header className="page-head">
      <title>{`${name} · Factmill`}</title>
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** A part of a page under its own heading. */
export function Section({
  title,
  actions,
  children,
}: Readonly<{ title: string; actions?: ReactNode; children: ReactNode }>) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
