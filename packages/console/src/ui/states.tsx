import { FactmillError } from '@factmill/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** Announced to screen readers, and shown only when it takes longer than a blink (by the style sheet). */
export function Loading({ what }: Readonly<{ what: string }>) {
  return (
    <p className="loading" role="status">
      Loading {what}…
    </p>
  );
}

/** Nothing is there, and what to do about it. */
export function Empty({ title, children }: Readonly<{ title: string; children?: ReactNode }>) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Something answers only in part: what is missing, in words. */
export function Degraded({ reasons }: Readonly<{ reasons: string | undefined }>) {
  if (reasons === undefined || reasons === '') return null;
  return (
    <div className="notice warn" role="status">
      <strong>Answered in part.</strong>
      <ul>
        {reasons.split(',').map((reason) => (
          <li key={reason}>{DEGRADED[reason.trim()] ?? reason.trim().replaceAll('_', ' ')}</li>
        ))}
      </ul>
    </div>
  );
}

const DEGRADED: Readonly<Record<string, string>> = {
  embedding_unavailable:
    'The embedding model does not answer, so memories were found by words only. Look at Health and at the settings EMBEDDING_*.',
  embedding_incomplete:
    'Vectors of a new model are still being built; memories without one are found by words.',
  rerank_unavailable: 'The reranker does not answer; the order is that of the first stage.',
  min_relevance_ignored:
    'There is neither a reranker nor a vector to hold the relevance threshold against, so it was not applied.',
  results_too_large: 'The results have reached 4 MB; ask for fewer.',
  retrieval_unavailable: 'The retrieval service does not answer. Look at Health.',
};

/** What went wrong, what to do, and a way to try again. */
export function ErrorNotice({ error, retry }: Readonly<{ error: unknown; retry?: () => void }>) {
  const known = error instanceof FactmillError ? error : undefined;
  return (
    <div className="notice bad" role="alert">
      <strong>{titleOf(known)}</strong>
      <p>{known?.detail ?? 'The page has an unexpected problem. Reload it.'}</p>
      {known !== undefined && HINTS[known.code] !== undefined && <p>{HINTS[known.code]}</p>}
      {known !== undefined && known.fields.length > 0 && (
        <ul>
          {known.fields.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {known?.requestId !== undefined && (
        <p className="muted">
          In the logs: request <code>{known.requestId}</code>, code <code>{known.code}</code>
        </p>
      )}
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** What to do, where the sentence of the server cannot know that it is read in the console. */
const HINTS: Readonly<Record<string, string>> = {
  retrieval_unavailable: 'Lists of memories work meanwhile. Health shows which services cannot be reached.',
  database_unavailable:
    'Nothing can be shown meanwhile. Look at the database and at the logs of the gateway.',
};

function titleOf(error: FactmillError | undefined): string {
  if (error === undefined) return 'Something went wrong.';
  if (error.kind === 'connection' || error.kind === 'timeout') return 'The server does not answer.';
  if (error.status === 403) return 'Your key may not do this.';
  if (error.status === 404) return 'This is not there (any more).';
  if (error.status === 429) return 'Too many requests.';
  return error.status !== undefined && error.status >= 500
    ? 'The server has a problem.'
    : 'That was refused.';
}

/** Shows what a query brought, or how it stands. Old data stays visible while new is fetched or failed to come. */
export function Loaded<T>({
  query,
  what,
  children,
}: Readonly<{ query: UseQueryResult<T>; what: string; children: (data: T) => ReactNode }>) {
  if (query.data === undefined) {
    return query.isError ? (
      <ErrorNotice error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Loading what={what} />
    );
  }
  return (
    <>
      {query.isError && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {children(query.data)}
    </>
  );
}
