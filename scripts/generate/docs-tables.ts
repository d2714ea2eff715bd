// Writes the tables of the documents that follow from the code: layers and imports into docs/architecture.md, the database's
// tables into docs/operations.md, built-in actions into docs/integrations.md. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { allTables, type Table } from '../../src/database/tables.ts';
import { ENVIRONMENT_READER, LAYERS, ONLYS, sentenceOf } from '../layers.ts';
import { writeGenerated } from './generated-file.ts';
import { table } from './schema-tables.ts';

function layers(): string {
  const rows = LAYERS.flatMap(({ rooms }, layer) =>
    Object.entries(rooms).map(([room, contents]) => [String(layer), `\`${room}\``, contents]),
  );
  const sentences = [...ONLYS.map(sentenceOf), `Only \`${ENVIRONMENT_READER}\` reads \`process.env\``];
  return [table(['Layer', 'Room', 'Contents'], rows), sentences.map((sentence) => `- ${sentence}.`).join('\n')].join('\n\n');
}

function tables(): string {
  const rows = allTables().map(([name, one]) => [`\`${name}\``, one.user === undefined ? '' : `\`${one.user}\``, one.holds, kept(one)]);
  return table(['Table', 'User', 'A row holds', 'Kept'], rows);
}

function kept({ kept, months }: Table): string {
  return months?.rowsExpire === 'with their month' ? `${kept}, until the end of the month` : kept;
}

function builtIns(): string {
  const rows = [...BUILT_INS.values()].map(({ name, description, effect, scopes, requires, lists }) => [
    code([name]),
    firstSentence(description),
    effect,
    code(requires === undefined ? scopes : [requires]),
    code(lists),
  ]);
  return table(['Action', 'What it does', 'Effect', 'Needs any of', 'Allow-lists'], rows);
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const firstSentence = (text: string) => text.split(/(?<=\.) /, 1)[0] ?? text;

function write(path: string, name: string, content: string): void {
  const before = readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const section = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=<!-- /${name} -->)`);
  if (!section.test(before)) throw new Error(`${path} has no section ${name}`);
  writeGenerated(
    path,
    before.replace(section, () => `\n${content}\n\n`),
    'scripts/generate/docs-tables.ts',
  );
}

write('docs/architecture.md', 'layers', layers());
write('docs/operations.md', 'tables', tables());
write('docs/integrations.md', 'built-ins', builtIns());
