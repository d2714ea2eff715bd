// Checks that every regular expression of the service and its pages needs time linear in the text. Prints each
// that doesn't, or that can't be judged, as file:line and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Expression, expressionsOf, problemOf } from './regexp-rules.ts';

/** Expressions that stay as they are although they can't be judged, each with its reason. */
const ALLOWED: { file: string; text: string; reason: string }[] = [
  {
    file: 'src/integrations/declared/declared-pattern.ts',
    text: "new RegExp(source, 'u')",
    reason: 'is only compiled, to see whether it is valid; RE2 does the matching',
  },
  {
    file: 'src/integrations/declared/declared-pattern.ts',
    text: String.raw`/\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u\{[^}]*\}|u....|c.|[pP]\{[^}]*\}|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<?[=!]|<[^>]*>|[a-z-]*:)|\{[\d,]+\}|\./g`,
    reason: 'reads patterns of at most 1,000 characters that are valid',
  },
  {
    file: 'src/actions/html/html-tags.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of source
    text: "new RegExp(`</${name}(?=[\\\\t\\\\n\\\\f\\\\r />])`, 'gi')",
    reason: 'a name of a fixed set, without any repetition',
  },
  {
    file: 'src/http/middleware/path-matcher.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of source
    text: "new RegExp(`^${path.replace(/:\\w+/g, '[^/]+')}$`)",
    reason: 'an address of an endpoint of our own, whose repetitions are of one segment each',
  },
];
const AT_ONCE = 4;
const root = join(import.meta.dirname, '../..');
const files = globSync(['src/**/*.{ts,js}', 'public/**/*.js', 'client/**/*.js'], { cwd: root }).sort();
const expressions = files.flatMap((file) => expressionsOf(file, readFileSync(join(root, file), 'utf8')));
const isAllowed = ({ file, text }: Expression) => ALLOWED.some((one) => one.file === file && one.text === text);
const waiting = expressions.values();
const problems: string[] = [];
const work = async () => {
  for (const one of waiting) {
    const problem = isAllowed(one) ? undefined : await problemOf(one);
    if (problem !== undefined) problems.push(`${one.file}:${one.line} ${one.text} ${problem}`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const { file, text } of ALLOWED) {
  const isThere = expressions.some((one) => one.file === file && one.text === text);
  if (!isThere) problems.push(`${file}:1 ${text} is allowed in scripts/checks/check-regexps.ts and no longer there`);
}
for (const problem of problems.sort()) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${expressions.length} regular expressions: each takes time in proportion to the text.`);
