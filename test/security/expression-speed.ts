import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { JS, NFA } from 'refa';
import { analyse } from 'scslre';

export type Expression = Readonly<{ source: string; flags: string }>;

/** Fewer repetitions than this are a constant factor. */
const MANY = 10;
/** Pairs of states; expressions here have thousands at most. */
const MAX_PAIRS = 1_000_000;

/**
 * The ways in which an expression can take more than linear time on a text that it does not match; empty when there
 * are none. Two quantifiers that can trade characters, a quantifier that a search begins anew at every character, and
 * repetitions that can read one text in two ways. Counted repetitions are constant factors; look-arounds and back
 * references are not followed.
 */
export function slownessOf(expression: Expression): string[] {
  const { reports } = analyse(new RegExp(expression.source, expression.flags), {
    reportTypes: { Move: true },
  });
  return [...new Set([...reports.map(({ type }) => type), ...ambiguousRepetitions(expression)])];
}

function ambiguousRepetitions({ source, flags }: Expression): string[] {
  const literal = JS.Parser.fromLiteral({ source, flags });
  const repetitions: AST.Quantifier[] = [];
  visitRegExpAST(literal.ast.pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max >= MANY && quantifier.element.type.includes('Group')) repetitions.push(quantifier);
    },
  });
  return repetitions.flatMap((repetition) => {
    const { expression, maxCharacter } = literal.parseElement(repetition, {
      assertions: 'ignore',
      backreferences: 'disable',
    });
    return isAmbiguous(NFA.fromRegex(expression, { maxCharacter })) ? [`ambiguous ${repetition.raw}`] : [];
  });
}

/** Whether the automaton reads some text in two ways: the text leads to two different states, and on from both. */
function isAmbiguous(nfa: NFA): boolean {
  const ids = new Map<NFA['initial'], number>([[nfa.initial, 0]]);
  for (const state of ids.keys())
    for (const next of state.out.keys()) if (!ids.has(next)) ids.set(next, ids.size);
  const states = [...ids.keys()];
  const idOf = (state: NFA['initial']): number => ids.get(state) ?? 0;
  const pairOf = (a: number, b: number): number => Math.min(a, b) * states.length + Math.max(a, b);
  const before = new Map<number, number[]>([[0, []]]);
  for (const [pair] of before) {
    if (before.size > MAX_PAIRS) throw new Error('this expression is too large to be looked at');
    const [left, right] = [states[Math.floor(pair / states.length)], states[pair % states.length]];
    for (const [a, charactersOfA] of left?.out ?? []) {
      for (const [b, charactersOfB] of right?.out ?? []) {
        if (charactersOfA.isDisjointWith(charactersOfB)) continue;
        const next = pairOf(idOf(a), idOf(b));
        before.set(next, [...(before.get(next) ?? []), pair]);
      }
    }
  }
  const isFinal = (id: number): boolean => {
    const state = states[id];
    return state !== undefined && nfa.finals.has(state);
  };
  const ends = new Set(
    [...before.keys()].filter(
      (pair) => isFinal(Math.floor(pair / states.length)) && isFinal(pair % states.length),
    ),
  );
  for (const pair of ends) for (const previous of before.get(pair) ?? []) ends.add(previous);
  return [...ends].some((pair) => Math.floor(pair / states.length) !== pair % states.length);
}
