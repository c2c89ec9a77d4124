import { useNavigate, useSearch } from '@tanstack/react-router';

/** What an address says besides its path; every page reads its own names. */
export type UrlSearch = Readonly<Record<string, string | undefined>>;

/** What the address says, and how to change parts of it; '' takes a name out. The page stays. */
export function useUrlSearch(): [UrlSearch, (changes: UrlSearch) => void] {
  const search: UrlSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: UrlSearch) =>
    void navigate({ to: '.', search: (before: UrlSearch) => ({ ...before, ...changes }), replace: true });
  return [search, change];
}
