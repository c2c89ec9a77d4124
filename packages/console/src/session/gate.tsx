import { useQuery } from '@tanstack/react-query';
import { Shell } from '../shell/shell.tsx';
import { ErrorNotice, Loading } from '../ui/states.tsx';
import { AccessContext, sessionQuery, toAccess } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { useEffect, useState } from 'react';

/** The console for those who are signed in, the sign-in form for others. The address stays as it is meanwhile. */
export function Gate() {
  const status = useQuery(sessionQuery);
  const access = status.data === undefined ? null : toAccess(status.data);
  const [wasSignedIn, setWasSignedIn] = useState(false);
  const isSignedIn = access !== null;
  useEffect(() => {
    if (isSignedIn) setWasSignedIn(true);
  }, [isSignedIn]);

  if (status.data === undefined) {
    return (
      <main className="sign-in">
        {status.isError ? (
          <ErrorNotice error={status.error} retry={() => void status.refetch()} />
        ) : (
          <Loading what="the console" />
        )}
      </main>
    );
  }
  if (access === null) return <SignIn wasSignedIn={wasSignedIn} />;
  return (
    <AccessContext value={access}>
      <Shell />
    </AccessContext>
  );
}
