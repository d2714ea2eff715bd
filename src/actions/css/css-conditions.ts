import { nextMark } from './css-scanner.ts';

/** Whether something holds; undefined where that isn't known, which nothing follows from. */
export type Answer = boolean | undefined;

const MAX_DEPTH = 8;

/**
 * Conditions in brackets, all of them joined by `and`, or all by `or` (Media Queries 4, section 3; CSS Conditional 3,
 * section 6).
 *
 * @param condition normalized
 * @param test answers what is in the innermost brackets
 */
export function matchesCondition(condition: string, test: (inside: string) => Answer, depth = MAX_DEPTH): Answer {
  if (depth === 0) return undefined;
  if (condition.startsWith('not ')) return negated(matchesCondition(condition.slice(4), test, depth - 1));
  const answers: Answer[] = [];
  const joints = new Set<string>();
  for (let rest = condition; rest !== ''; ) {
    const end = nextMark(rest, 1, ')');
    if (!rest.startsWith('(')) return undefined;
    const inside = rest.slice(1, end).trim();
    answers.push(isCondition(inside) ? matchesCondition(inside, test, depth - 1) : test(inside));
    const [whole, joint] = /^ ?(and|or) /.exec(rest.slice(end + 1)) ?? [''];
    if (joint === undefined && rest.slice(end + 1).trim() !== '') return undefined;
    if (joint !== undefined) joints.add(joint);
    rest = rest.slice(end + 1 + whole.length).trim();
  }
  if (joints.size > 1 || answers.length === 0) return undefined;
  const decisive = joints.has('or');
  if (answers.includes(decisive)) return decisive;
  return answers.includes(undefined) ? undefined : !decisive;
}

function isCondition(inside: string): boolean {
  return inside.startsWith('(') || inside.startsWith('not ');
}

function negated(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer;
}
