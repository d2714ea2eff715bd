// Measures what the built-in actions cost a model as tools, and writes the tables into docs/tools.md, by agent, and
// docs/mcp.md, tool by tool. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/server';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { APPROVAL_RESULT_TOOL } from '../../src/mcp/approval-result.ts';
import { mcpTools } from '../../src/tools/mcp-tools.ts';
import { TOOL_FORMATS } from '../../src/tools/tool.ts';
import { formatTools } from '../../src/tools/tool-formats.ts';
import { writeGenerated } from './generated-file.ts';
import { table } from './schema-tables.ts';
import { builtInTools } from './tools-of-file.ts';

const SIZES = /(?<=<!-- sizes -->\n)[\s\S]*(?=<!-- \/sizes -->)/;

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
writeTable('docs/tools.md', table(['Agent', 'Tools', ...TOOL_FORMATS.map((format) => `\`${format}\``)], rows));

const listed = [...(mcpTools(tools) as Tool[]), APPROVAL_RESULT_TOOL];
const whole = ['**all**', '', encode(JSON.stringify(listed)).length.toLocaleString('en')];
writeTable('docs/mcp.md', table(['Tool', 'Hints', 'Tokens'], [...listed.map(sizeOf), whole]));

function sizeOf(tool: Tool): string[] {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const hint = readOnlyHint ? 'reads' : destructiveHint ? 'changes; deletes, or others may see it' : 'changes';
  return [`\`${tool.name}\``, hint, String(encode(JSON.stringify(tool)).length)];
}

function writeTable(file: string, text: string): void {
  const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  writeGenerated(file, source.replace(SIZES, `\n${text}\n\n`), 'scripts/generate/tools-size.ts');
}
