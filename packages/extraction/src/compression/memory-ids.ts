import type { CompressionDecision } from './compression-plan.ts';

/** Every memory that decisions name, once. */
export function memoryIdsOf(decisions: readonly CompressionDecision[]): string[] {
  return [
    ...new Set(
      decisions.flatMap((decision) => [
        ...('from' in decision ? decision.from : []),
        ...('ids' in decision ? decision.ids : []),
        ...('id' in decision ? [decision.id] : []),
        ...('into' in decision ? [decision.into] : []),
      ]),
    ),
  ];
}
