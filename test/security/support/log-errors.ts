/** Lines that no input, however hostile, may cause. A rejection is returned even if its audit row can't be written. */
const ALARMING = /"level":(50|60)|^\s+at |Unhandled|Warning:|an audit row could not be written/;

/** @returns the problem of a log in a sentence; nothing if there is none */
export function logErrors(output: string): string[] {
  const lines = output.split('\n').filter((line) => ALARMING.test(line));
  return lines.length === 0 ? [] : [`the log holds ${lines.length} errors: ${lines[0]?.slice(0, 300)}`];
}
