import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A requirement that the conformance suite found broken, or could not test. */
interface Finding {
  /** `scenario:check`, as in the baseline. */
  name: string;
  message: string;
}

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** What the suite's `-o` folder holds: a folder for each scenario, `server-<scenario>-<time>`, or `auth/<scenario>-<time>` of a client. */
export function findingsIn(folder: string): Finding[] {
  const reports = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => basename(name) === 'checks.json');
  return reports.map(dirname).flatMap((name) => {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    return checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage = '' }) => ({ name: `${scenario}:${id}`, message: errorMessage }));
  });
}

/** Lines of the suite's output below a heading, until the next empty line. */
export function sectionOf(output: string, heading: string): string[] {
  const [, section = ''] = output.split(heading);
  const [lines = ''] = section.split('\n\n');
  return lines.split('\n').flatMap((line) => /^\s+[~✗✓] (\S+)$/.exec(line)?.[1] ?? []);
}
