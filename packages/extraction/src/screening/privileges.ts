import { meaningfulWords } from '../attribution.ts';

const RIGHTS = 'access|rights?|privileges?|permissions?|mode|account|status|credentials?|clearance';
/** Phrases that claim a right or a position of trust, in plain form. */
const PRIVILEGE = new RegExp(
  [
    String.raw`\b(?:admin(?:istrator)?|root|superuser|sudo|privileged|elevated|unrestricted|unlimited|full|owner)\b[^.!?\n]{0,20}\b(?:${RIGHTS})\b`,
    String.raw`\b(?:is|as) (?:an? |the )?(?:\w+ )?(?:admin(?:istrator)?|root|superuser|sudoer)\b`,
    String.raw`\b(?:is|are|was) (?:pre-?)?(?:authori[sz]ed|permitted|allowed|verified|approved|exempt(?:ed)?|cleared|entitled) (?:to|for|as|from|by)\b`,
    String.raw`\b(?:has|holds|have|with) (?:the |an? )?(?:authority|permission|clearance|right) (?:to|for|over)\b`,
    String.raw`\b(?:security|top secret|level \w+) clearance\b|\bclearance (?:level|is)\b`,
    String.raw`\b(?:is|are|as) (?:an? |the )?(?:fully )?trusted\b|\btrusted (?:contact|person|party|sender|caller|source|device|user|third part(?:y|ies)|advis[eo]r)s?\b`,
    String.raw`\b(?:can|may) (?:approve|authori[sz]e|sign|confirm) (?:\w+ ){0,3}(?:payments?|transfers?|transactions?|orders?|requests?)\b`,
  ].join('|'),
);
const PRIVILEGE_KEY =
  /^(?:is_(?:an?_)?(?:admin|administrator|root|superuser|owner|verified|trusted|authori[sz]ed|staff|moderator|vip)|user_role|(?:account|access|security|user)_(?:level|role|type|clearance|rights?|permissions?)|permissions?|privileges?|entitlements?|(?:security_)?clearance(?:_level)?|trust(?:ed)?_\w+|authori[sz]ed_\w+|verified_\w+|approved_\w+|power_of_attorney)$/;

/**
 * The words with which a statement claims a right or a position of trust (admin access, clearance, a trusted
 * contact); null when it claims none. `key` is normalised, the statements are in plain form.
 */
export function claimedPrivilege(
  key: string | null,
  statements: readonly string[],
): ReadonlySet<string> | null {
  for (const statement of statements) {
    const [claim] = PRIVILEGE.exec(statement) ?? [];
    if (claim !== undefined) return meaningfulWords(claim);
  }
  return key !== null && PRIVILEGE_KEY.test(key) ? meaningfulWords(key.replaceAll('_', ' ')) : null;
}
