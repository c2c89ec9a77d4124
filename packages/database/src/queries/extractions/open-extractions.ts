/**
 * SQL: what is open, of all tenants. The second condition holds for every row; with it a statement uses
 * extractions_open_idx, which the planner keeps out of all others: it looks empty to plans made in a quiet hour.
 */
export const openExtractions = (alias: string) =>
  `${alias}.state in ('pending', 'active') and ${alias}.accepted_no > 0`;
