import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a generated file. With `--check` on the command line, only reports (and exits with 1) when it is outdated.
 *
 * @param path from the repository's root
 * @param script that writes it
 */
export function writeGenerated(path: string, content: string, script: string): void {
  const file = join(import.meta.dirname, '../..', path);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
    console.log(`${path} written.`);
    return;
  }
  if (existsSync(file) && readFileSync(file, 'utf8') === content) {
    console.log(`${path} is up to date.`);
    return;
  }
  console.error(`${path} is outdated: run node ${script}`);
  process.exitCode = 1;
}

interface Table {
  methods: Record<string, unknown>;
  schemas: Record<string, unknown>;
}

/** The methods and schemas of all APIs as JSON. @param more further objects of the table, by name */
export function tableOf(apis: readonly Table[], more: Record<string, Record<string, unknown>> = {}): string {
  const part = (name: keyof Table) => Object.assign({}, ...apis.map((api) => api[name]));
  const parts = Object.entries({ ...more, methods: part('methods'), schemas: part('schemas') });
  return `{\n${parts.map(([name, entries]) => `  "${name}": {\n${lines(entries)}\n  }`).join(',\n')}\n}\n`;
}

/** Members of a JSON object, one on each line and sorted, so that changes are easy to review. */
export function lines(entries: Record<string, unknown>): string {
  const sorted = Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n');
}
