import type { Permission } from '@factmill/contracts';
import type { Client } from '@factmill/client';
import { FactmillError } from '@factmill/client';
import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { client } from '../client.ts';

type SessionStatus = Awaited<ReturnType<Client['session']['get']>>;

/**
 * How often an open page asks whether its session goes on. The server believes a key for 5 s, so a page whose key was
 * revoked notices within 10 s, also when nobody touches it.
 */
const ASKED_EVERY_MS = 5_000;

/** Whether somebody is signed in, and as whom. Never an error for those who are not. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => client.session.get({ signal }),
  staleTime: ASKED_EVERY_MS,
  refetchInterval: ASKED_EVERY_MS,
});

/** What the one who is signed in may do. */
export type Access = Readonly<{
  status: SessionStatus;
  session: NonNullable<SessionStatus['session']>;
  /** Whether the key has this permission, and the console may use it. */
  can: (permission: Permission) => boolean;
  /** As `can`, for what changes something: never while the console is read-only. */
  canWrite: (permission: Permission) => boolean;
}>;

export function toAccess(status: SessionStatus): Access | null {
  const { session, writable } = status;
  if (!status.signed_in || session === null) return null;
  const can = (permission: Permission) => session.permissions.includes(permission);
  return { status, session, can, canWrite: (permission) => writable && can(permission) };
}

export const AccessContext = createContext<Access | null>(null);

/** The access of who is signed in; only for what the shell shows. */
export function useAccess(): Access {
  const access = use(AccessContext);
  if (access === null) throw new Error('Nobody is signed in.');
  return access;
}

/** Whether a call failed because the session is over, so that the sign-in form has to come back. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof FactmillError && error.status === 401;
}
