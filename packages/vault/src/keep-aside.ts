import type { Session } from './session.ts';

/** Moves a file into the folder of conflicts as it is, with a note, and says so in the report. */
export async function keepAside(session: Session, path: string, reason: string): Promise<void> {
  const kept = await session.swap.setAside(path, reason, session.now());
  session.seen.delete(path);
  session.report.settled(path);
  if (kept === null) return;
  session.counts.conflicts += 1;
  session.report.event(`\`${path}\` was kept as \`${kept}\`. ${reason}`, session.now());
}
