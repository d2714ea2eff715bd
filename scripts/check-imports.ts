// Keeps the house's two laws over src/: imports point down only, and some things have one home only.
// Prints every violation as file:line and exits with 1; type imports count like all others.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

interface Import {
  from: string;
  line: number;
  /** A path from the repository's root, or a package. */
  to: string;
  dynamic: boolean;
}

const LAYERS: Record<string, number> = {
  ...layer(0, ['config', 'errors.ts', 'observability', 'validation', 'rate-limit', 'threads']),
  ...layer(1, ['http', 'database', 'crypto', 'identity', 'providers', 'jobs']),
  ...layer(2, ['vault', 'events', 'replicas']),
  ...layer(3, ['actions']),
  ...layer(4, ['integrations']),
  ...layer(5, ['executor']),
  ...layer(6, ['health', 'home', 'waitlist', 'users', 'workspace', 'bank', 'socket']),
  ...layer(7, ['app.ts', 'context.ts', 'server.ts', 'workers.ts', 'start-telemetry.ts', 'startup', 'cli', 'metrics', 'tracing', 'main.ts']),
};
/** Layers whose parts may use one another. */
const SOCIABLE = new Set([0, 7]);

/** Packages with one home: whoever matches may import them. */
const HOMES: { packages: RegExp; home: RegExp; rule: string }[] = [
  {
    packages: /^express(\/|$)/,
    home: /^(src\/(app\.ts|http\/.*|.*-routes\.ts)|sandbox\/.*-routes\.ts)$/,
    rule: 'express only in app.ts, http/ and *-routes.ts',
  },
  { packages: /^ws(\/|$)/, home: /^src\/(server\.ts|socket\/.*)$/, rule: 'ws only in server.ts and socket/' },
  {
    packages: /^(firebase-admin|googleapis|@googleapis\/[^/]+|google-auth-library|plaid)(\/|$)/,
    home: /^src\/(providers|identity)\//,
    rule: 'vendor SDKs only in providers/ and identity/',
  },
  { packages: /^@aws-sdk\//, home: /^src\/crypto\/aws-kms\.ts$/, rule: 'the key service’s SDK only in crypto/aws-kms.ts' },
  // The root loads every API the provider has.
  { packages: /^googleapis$/, home: /^$/, rule: 'googleapis by deep import only' },
];

const IMPORT = /^[ \t]*(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*(['"])([^'"\n]+)\1|\b(import|require)\(\s*(['"])([^'"\n]+)\4/gm;
const LITERAL_OR_COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
const ENVIRONMENT =
  /\bprocess\s*\??\.\s*env\b|\bprocess\s*\[|\benv\b[^}\n]*\}\s*=\s*process\b|\benv\b[^}\n]*\}\s*from\s*'(?:node:)?process'/g;
const SQL =
  /^\s*(?:select\s[\s\S]*?(?:\bfrom\b|\(|\d)|insert\s+into\s|update\s+\w+\s[\s\S]*?\bset\b|delete\s+from\s|with\s+\w+\s+as\s|(?:create|alter|drop|truncate)\s+(?:table|index|schema|type|database)\s|(?:begin|commit|rollback)\s*$|[\s\S]*\bwhere\b[\s\S]*=\s*\$\d)/i;
const SQL_HOME = /^src\/(database\/.*|.*-repository\.ts)$/;

function layer(level: number, names: string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, level]));
}

/** The folder below src, or the file itself: what the law of imports speaks of. */
function partOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].map((match) => {
    const name = match[2] ?? match[5] ?? '';
    const to = name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
    return { from: file, line: lineOf(source, match.index + match[0].length), to, dynamic: match[3] === 'import' };
  });
}

/** Why an import between two files of src breaks the law; undefined when it doesn't. */
function directionOf({ from, to, dynamic }: Import): string | undefined {
  const [part, target] = [partOf(from), partOf(to)];
  if (dirname(from).split('/')[0] === dirname(to).split('/')[0] && (part === target || from.startsWith('sandbox/'))) return undefined;
  if (to.startsWith('sandbox/')) {
    return from === 'src/main.ts' && dynamic ? undefined : 'the sandbox is imported by main.ts only, and dynamically';
  }
  if (from.startsWith('sandbox/'))
    return target === 'http' || LAYERS[target] === 0 ? undefined : `the sandbox uses layer 0 and http, not ${target}`;
  const [own, other] = [LAYERS[part], LAYERS[target]];
  if (own === undefined || other === undefined || other < own) return undefined;
  if (other === own && SOCIABLE.has(own)) return undefined;
  return `${part} (layer ${own}) imports ${target} (layer ${other})`;
}

function checkImport(one: Import): string[] {
  if (/^(src|sandbox)\//.test(one.to)) return [directionOf(one)].filter((problem) => problem !== undefined);
  return HOMES.filter(({ packages, home }) => packages.test(one.to) && !home.test(one.from)).map(({ rule }) => rule);
}

function checkText(file: string, source: string): string[] {
  const problems: string[] = [];
  const code = source.replace(LITERAL_OR_COMMENT, (text, index: number) => {
    const literal = text.slice(1, -1);
    // Prose begins with one capital letter, SQL with none or with all.
    const isProse = text.startsWith('/') || /^\s*[A-Z][a-z]/.test(literal);
    if (!isProse && SQL.test(literal) && !SQL_HOME.test(file)) {
      problems.push(`${file}:${lineOf(source, index)} SQL only in *-repository.ts and database/`);
    }
    return text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text;
  });
  if (file !== 'src/config/load-config.ts') {
    for (const match of code.matchAll(ENVIRONMENT)) problems.push(`${file}:${lineOf(code, match.index)} process.env only in config.ts`);
  }
  return problems;
}

/** Depth first; an import of a file that is still open closes a cycle. */
function cycles(imports: Map<string, Import[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const problems: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    state.set(file, 'open');
    for (const one of imports.get(file) ?? []) {
      if (state.get(one.to) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(one.to)), one.to].join(' → ');
        problems.push(`${file}:${one.line} import cycle: ${cycle}`);
      } else if (!state.has(one.to) && imports.has(one.to)) visit(one.to, [...trail, one.to]);
    }
    state.set(file, 'done');
  };
  for (const file of imports.keys()) if (!state.has(file)) visit(file, [file]);
  return problems;
}

const root = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const imports = new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]));
const problems = [
  ...files.filter((file) => file.startsWith('src/') && LAYERS[partOf(file)] === undefined).map((file) => `${file}:1 has no layer`),
  ...[...imports.values()].flat().flatMap((one) => checkImport(one).map((problem) => `${one.from}:${one.line} ${problem}`)),
  ...[...sources].flatMap(([file, source]) => checkText(file, source)),
  ...cycles(imports),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files: imports point down, and everything is at home.`);
