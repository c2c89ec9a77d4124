import type { Event } from '@factmill/contracts';
import type { EventPage, EventRow } from '@factmill/database';

/** Reads what happened after a place. */
export type ReadAfter = (after: string, limit: number) => Promise<EventPage>;

/** An event in the form of the REST contract. */
export function toEvent({ id, type, createdAt, userId, data }: EventRow): Event {
  const named = userId === null ? data : { user_id: userId, ...data };
  // What the database has written, the contract describes; a test compares them.
  return { id, type, timestamp: createdAt.toISOString(), data: named } as Event;
}
