import { FactmillError } from '@factmill/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { client } from '../client.ts';
import { Button } from '../ui/button.tsx';
import { sessionQuery } from './session.ts';

/** Asks for an API key. It goes to the server once and is kept nowhere in the page. */
export function SignIn({ wasSignedIn }: Readonly<{ wasSignedIn: boolean }>) {
  const [key, setKey] = useState('');
  const queries = useQueryClient();
  const id = useId();
  const signIn = useMutation({
    mutationFn: () => client.session.create(key.trim()),
    onSuccess: (status) => {
      setKey('');
      queries.setQueryData(sessionQuery.queryKey, status);
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>Factmill console</h1>
        {wasSignedIn && (
          <p role="status">
            Your session has ended. Sign in again to go on where you were. If the key is refused now, it has
            expired or was revoked: ask your operator for another one.
          </p>
        )}
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          type="password"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          autoComplete="current-password"
          spellCheck={false}
          required
          aria-invalid={signIn.isError}
          aria-describedby={`${id}-help`}
        />
        <p id={`${id}-help`} className="muted">
          The console shows what this key may do. Create one with <code>factmill keys create --name me</code>.
        </p>
        {signIn.isError && (
          <p role="alert" className="notice bad">
            {toSentence(signIn.error)}
          </p>
        )}
        <Button type="submit" variant="primary" disabled={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

function toSentence(error: Error): string {
  if (!(error instanceof FactmillError)) return 'That did not work; try again.';
  if (error.status === 401) return 'This key is unknown, has expired or was revoked. Use another one.';
  if (error.status === 429) {
    return `Too many attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.`;
  }
  return error.detail;
}
