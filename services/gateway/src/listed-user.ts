import { principalOf, userOrAll } from '@factmill/auth';
import { localsOf } from '@factmill/http';
import type { Response } from 'express';

/** The user whose entries a list shows; null for all, which is noted for the audit. Throws like `userOrAll`. */
export function listedUser(asked: Parameters<typeof userOrAll>[0], response: Response): string | null {
  const user = userOrAll(asked, principalOf(response));
  if (user === null) localsOf(response).eventFields['all_users'] = true;
  return user;
}
