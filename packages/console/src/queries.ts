import { FactmillError } from '@factmill/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut, sessionQuery } from './session/session.ts';

/** What the page knows of the server. A session that is over is noticed at the first call that says so. */
export function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== sessionQuery.queryKey[0]) onError(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The client itself repeats what is safe to repeat.
        retry: false,
        refetchOnWindowFocus: (query) => !(query.state.error instanceof FactmillError),
      },
    },
  });
  return queries;
}
