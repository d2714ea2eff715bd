// Measures what the built-in actions cost a model as tools, and writes the table into docs/tools.md. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { formatTools, TOOL_FORMATS } from '../src/tools/tool-formats.ts';
import { writeGenerated } from './generated-file.ts';
import { table } from './schema-tables.ts';
import { builtInTools } from './tools-of-file.ts';

const SECTION = /(?<=<!-- sizes -->\n)[\s\S]*(?=<!-- \/sizes -->)/;

const tools = await builtInTools();
const tokens = (strict: boolean) =>
  TOOL_FORMATS.map((format) => encode(JSON.stringify(formatTools(tools, format, strict))).length.toLocaleString('en'));
const agents = new Map(tools.map(({ name }) => [name.split('_', 1)[0] ?? '', 0]));
const sizes = [...agents.keys()].map((agent) => {
  const own = tools.filter(({ name }) => name.startsWith(`${agent}_`));
  return [
    `\`${agent}\``,
    String(own.length),
    ...TOOL_FORMATS.map((format) => String(encode(JSON.stringify(formatTools(own, format, false))).length)),
  ];
});
const rows = [...sizes, ['**all**', String(tools.length), ...tokens(false)], ['all, `strict=true`', String(tools.length), ...tokens(true)]];
const file = 'docs/tools.md';
const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const sized = source.replace(SECTION, `\n${table(['Agent', 'Tools', ...TOOL_FORMATS.map((format) => `\`${format}\``)], rows)}\n\n`);
writeGenerated(file, sized, 'scripts/tools-size.ts');
