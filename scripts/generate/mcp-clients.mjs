// Writes what to paste into each MCP client into docs/mcp.md, from the lines of the development page. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS } from '../../public/console/connected-apps/page-client-lines.js';
import { writeGenerated } from './generated-file.ts';

const ADDRESS = 'https://steward.example.com/mcp';
const SECTION = /(?<=<!-- clients -->\n)[\s\S]*(?=<!-- \/clients -->)/;

const block = (code) => `\n\n   \`\`\`${code.startsWith('{') ? 'json' : 'text'}\n${code.replace(/^/gm, '   ')}\n   \`\`\``;
const steps = (list) => list.map(({ text, code }, index) => `${index + 1}. ${text}${code === undefined ? '' : block(code)}`).join('\n\n');

const sections = CLIENTS.map(
  ({ name, signIn, withToken }) =>
    `### ${name}\n\nBy sign-in:\n\n${steps(signIn(ADDRESS))}\n\nWith a token:\n\n${steps(withToken(ADDRESS, 'stw_pat_…'))}`,
);
const file = 'docs/mcp.md';
const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
writeGenerated(file, source.replace(SECTION, `\n${sections.join('\n\n')}\n\n`), 'scripts/generate/mcp-clients.mjs');
