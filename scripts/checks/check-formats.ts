// Checks that dates, numbers and lists for people are written by the language module (public/language/), in the locale and zone
// of who reads them, that it depends on nothing else, and that the console and all pages have their sentences from there. Prints each place as file:line and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGE, OWN_FORMATS } from '../layers.ts';
import { lineOf, nodesOf, type SyntaxNode } from '../syntax.ts';

const OF_THE_MACHINE =
  /^(?:Intl\.(?:DateTimeFormat|NumberFormat|ListFormat|PluralRules|RelativeTimeFormat)|.+\.toLocale(?:Date|Time)?String)$/;
const OUTSIDE = /^(?:document|window|navigator|location|process)$/;

const A_TEXT = `a text: put it into ${LANGUAGE}en/`;

/** What begins as a sentence: a capitalised word and another word. */
const SENTENCE = /^[A-Z][a-z’]+ [a-z“(]/;

/** Within the source of a page: what is no text, and attributes that people read. */
const MARKUP = /<code>.*?<\/code>|<[^>]*>|&#?\w+;/gs;
const ATTRIBUTES = /^(?: [\w-]+(?:="[^"]*")?|\{\})+$/;
const READ_ALOUD = /(?:aria-label|title|placeholder|alt)="[^"]*\p{L}/u;

interface Template {
  quasis: { value: { cooked: string } }[];
}

/** What names a thing for those who don't see it, or before it is filled in; and words: no example of an address, a name or a code. */
const NAMING = /^(?:'aria-(?:label|description)'|title|alt|placeholder)$/;
const WORD = /(?<![\p{L}@./])\p{L}?\p{Ll}{2,}(?![\p{L}@.…/])/u;

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
  const rule = file.startsWith(LANGUAGE) ? ofLanguage : file.startsWith('public/console/') ? ofConsole : ofOthers;
  return nodesOf(file, source).flatMap((node) => {
    const text = rule(node, (one) => source.slice(one.start, one.end));
    return text === undefined ? [] : [{ file, line: lineOf(source, node.start), text }];
  });
}

/** @param textOf the source of a node */
function ofOthers(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string | undefined {
  if (node.type === 'TaggedTemplateExpression' && textOf(node.tag as SyntaxNode) === 'html') return ofPages(node.quasi as Template);
  if (node.type !== 'MemberExpression' || !OF_THE_MACHINE.test(textOf(node).replaceAll(/\s/g, ''))) return undefined;
  return `a format of the machine: use ${LANGUAGE}`;
}

/** The source of a page; what is inserted stands as `{}`. */
function ofPages({ quasis }: Template): string | undefined {
  const source = quasis.map(({ value }) => value.cooked).join('{}');
  const isText = !ATTRIBUTES.test(source) && /\p{L}/u.test(source.replaceAll(MARKUP, ''));
  return isText || READ_ALOUD.test(source) ? A_TEXT : undefined;
}

/** A second language needs all texts in one place. */
function ofConsole(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string | undefined {
  const isText = node.type === 'Literal' || node.type === 'TemplateElement';
  if (isText && SENTENCE.test(textOf(node).replace(/^['"]/, ''))) return A_TEXT;
  if (node.type === 'Property' && NAMING.test(textOf(node.key as SyntaxNode)) && isWritten(node.value as SyntaxNode, textOf)) return A_TEXT;
  const isElement = node.type === 'CallExpression' && textOf(node.callee as SyntaxNode) === 'element';
  if (isElement && (node.arguments as SyntaxNode[]).slice(2).some((child) => isWritten(child, textOf))) return A_TEXT;
  return ofOthers(node, textOf);
}

/** Whether it is a text with words, not only names and marks. Words in capitals are names. */
function isWritten(node: SyntaxNode, textOf: (node: SyntaxNode) => string): boolean {
  const parts = node.type === 'TemplateLiteral' ? (node as unknown as Template).quasis.map(({ value }) => value.cooked) : [];
  return WORD.test(node.type === 'Literal' ? textOf(node) : parts.join('{}'));
}

/** It runs in browsers, in Node and in the sandbox alike. */
function ofLanguage({ type, object, source, callee }: SyntaxNode, textOf: (node: SyntaxNode) => string): string | undefined {
  if (type === 'ImportDeclaration' && !/^'\.\.?\/[\w./-]+\.js'$/.test(textOf(source as SyntaxNode)))
    return 'the language module imports nothing else';
  // A name alone may be that of a text: of a place, or of a document.
  if (type === 'MemberExpression' && OUTSIDE.test(textOf(object as SyntaxNode))) return 'the language module knows neither a page nor Node';
  return type === 'CallExpression' && /\.toLocale\w*String$/.test(textOf(callee as SyntaxNode))
    ? 'the format of the machine’s locale'
    : undefined;
}
