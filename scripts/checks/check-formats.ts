// Checks that dates, numbers and lists for people are written by the language module (public/language/), in the locale and zone
// of who reads them, and that it depends on nothing else. Prints each place as file:line and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGE, OWN_FORMATS } from '../layers.ts';
import { lineOf, nodesOf, type SyntaxNode } from '../syntax.ts';

const OF_THE_MACHINE =
  /^(?:Intl\.(?:DateTimeFormat|NumberFormat|ListFormat|PluralRules|RelativeTimeFormat)|.+\.toLocale(?:Date|Time)?String)$/;
const OUTSIDE = /^(?:document|window|navigator|location|process)$/;

const root = join(import.meta.dirname, '../..');
const files = globSync(['public/**/*.js', 'src/**/*.ts', 'sandbox/**/*.{ts,js}'], { cwd: root }).sort();
const found = files.flatMap((file) => problemsOf(file, readFileSync(join(root, file), 'utf8')));
const problems = found.filter(({ file }) => !(file in OWN_FORMATS)).map(({ file, line, text }) => `${file}:${line} ${text}`);
for (const file of Object.keys(OWN_FORMATS)) {
  if (!found.some((one) => one.file === file)) problems.push(`${file}:1 is an exception in scripts/layers.ts and needs none`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files: what people read is written by ${LANGUAGE}.`);

function problemsOf(file: string, source: string): { file: string; line: number; text: string }[] {
  const rule = file.startsWith(LANGUAGE) ? ofLanguage : ofOthers;
  return nodesOf(file, source).flatMap((node) => {
    const text = rule(node, (one) => source.slice(one.start, one.end));
    return text === undefined ? [] : [{ file, line: lineOf(source, node.start), text }];
  });
}

/** @param textOf the source of a node */
function ofOthers(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string | undefined {
  if (node.type !== 'MemberExpression' || !OF_THE_MACHINE.test(textOf(node).replaceAll(/\s/g, ''))) return undefined;
  return `a format of the machine: use ${LANGUAGE}`;
}

/** It runs in browsers, in Node and in the sandbox alike. */
function ofLanguage({ type, name, source, callee }: SyntaxNode, textOf: (node: SyntaxNode) => string): string | undefined {
  if (type === 'ImportDeclaration' && !/^'\.\.?\/[\w./-]+\.js'$/.test(textOf(source as SyntaxNode)))
    return 'the language module imports nothing else';
  if (type === 'Identifier' && OUTSIDE.test(name as string)) return 'the language module knows neither a page nor Node';
  return type === 'CallExpression' && /\.toLocale\w*String$/.test(textOf(callee as SyntaxNode))
    ? 'the format of the machine’s locale'
    : undefined;
}
