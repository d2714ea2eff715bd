// Checks where the files of src/ and sandbox/ may import from (layers.ts), and what may stand where: SQL, the environment, the
// machine's time. Prints each violation as file:line and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import {
  BY_THE_MACHINE,
  ENVIRONMENT_READER,
  LANGUAGE,
  LARGE_FOLDERS,
  LAYERS,
  MOST_FILES,
  ONLYS,
  roomOf,
  SANDBOX_IMPORTS,
  SANDBOX_LOADER,
  sentenceOf,
} from '../layers.ts';
import { lineOf, nodesOf, type SyntaxNode } from '../syntax.ts';

const SQL =
  /^\s*(?:select\s[\s\S]*?(?:\bfrom\b|\(|\d)|insert\s+into\s|update\s+\w+\s[\s\S]*?\bset\b|delete\s+from\s|with\s+\w+\s+as\s|(?:create|alter|drop|truncate)\s+(?:table|index|schema|type|database)\s|(?:begin|commit|rollback)\s*$|[\s\S]*\bwhere\b[\s\S]*=\s*\$\d)/i;
const SQL_HOME = /^src\/(database\/.*|.*-repository\.ts)$/;
/** Prose begins with one capital letter, SQL with none or with all. */
const PROSE = /^\s*[A-Z][a-z]/;
const SUPPRESSION = /biome-ignore(?:-\w+)? lint\/(?:style\/noProcessEnv|suspicious\/noImportCycles)/g;
const CLOCK_HOME = 'src/clock/';
const TIME = /^(?:Date\.now|performance\.now|process\.hrtime|AbortSignal\.timeout)$/;
const TIMERS = /^(?:setTimeout|setInterval)$/;

/** An import, a re-export, or an import() of a literal. */
interface Import {
  file: string;
  line: number;
  specifier: string;
}

const root = join(import.meta.dirname, '../..');
const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();
const timed = new Set<string>();
const imports: Import[] = [];
const problems = files.flatMap((file) => [...problemsOfPath(file), ...problemsOfSource(file, readFileSync(join(root, file), 'utf8'))]);
problems.push(...imports.flatMap(problemsOfImport), ...circlesOf(imports), ...overfullFolders());
for (const file of Object.keys(BY_THE_MACHINE)) {
  if (!timed.has(file)) problems.push(`${file}:1 is an exception in scripts/layers.ts and needs none`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files: each imports lower layers only, with SQL, the environment and the machine’s time where they belong.`);

function problemsOfPath(file: string): string[] {
  if (file.startsWith('src/') && layerOf(roomOf(file)) === -1) return [`${file}:1 is in no layer of scripts/layers.ts`];
  return file.split('/').length > 4 ? [`${file}:1 is more than two folders deep`] : [];
}

function overfullFolders(): string[] {
  const folders = Map.groupBy(
    files.filter((file) => file.startsWith('src/')),
    dirname,
  );
  return [...folders].flatMap(([folder, within]) =>
    within.length > MOST_FILES && !(folder in LARGE_FOLDERS) ? [`${within.at(-1)}:1 is in a folder of more than ${MOST_FILES} files`] : [],
  );
}

function layerOf(room: string): number {
  return LAYERS.findIndex(({ rooms }) => room in rooms);
}

function problemsOfSource(file: string, source: string): string[] {
  const suppressed = [...source.matchAll(SUPPRESSION)].map(({ index }) => `${file}:${lineOf(source, index)} an import rule is suppressed`);
  const inSource = nodesOf(file, source).flatMap((node) => {
    const specifier = specifierOf(node);
    const line = lineOf(source, node.start);
    if (specifier !== undefined) imports.push({ file, line, specifier });
    const problem = problemOf(file, source, node);
    return problem === undefined ? [] : [`${file}:${line} ${problem}`];
  });
  return [...suppressed, ...inSource];
}

function specifierOf({ type, source }: SyntaxNode): string | undefined {
  if (!/^(?:Import(?:Declaration|Expression)|Export(?:Named|All)Declaration)$/.test(type)) return undefined;
  const { value } = (source ?? {}) as { value?: unknown };
  return typeof value === 'string' ? value : undefined;
}

function problemsOfImport({ file, line, specifier }: Import): string[] {
  const rule = specifier.startsWith('.') ? brokenLayer(file, targetOf(file, specifier)) : brokenOnly(file, specifier);
  return rule === undefined ? [] : [`${file}:${line} ${rule}`];
}

function targetOf(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier));
}

function brokenOnly(file: string, specifier: string): string | undefined {
  const only = ONLYS.find(
    ({ modules, rooms, files }) =>
      modules.test(specifier) && !rooms.includes(roomOf(file)) && !files.some((name) => file === name || file.endsWith(name)),
  );
  return only && sentenceOf(only);
}

function brokenLayer(file: string, target: string): string | undefined {
  const [room, other] = [roomOf(file), roomOf(target)];
  if (room === other || file === SANDBOX_LOADER || target.startsWith(LANGUAGE)) return undefined;
  const [own, below] = [layerOf(room), layerOf(other)];
  if (room === 'sandbox') return below === 0 || SANDBOX_IMPORTS.includes(other) ? undefined : 'the sandbox imports layer 0 and http only';
  const isAllowed = below !== -1 && (below < own || (below === own && LAYERS[own]?.isMutual === true));
  return isAllowed ? undefined : `layer ${own} imports ${LAYERS[own]?.isMutual ? 'its own rooms and lower layers' : 'lower layers'} only`;
}

/** Folders of a room import each other in one direction: of those that don't, each import within the circle. */
function circlesOf(all: readonly Import[]): string[] {
  const within = all.flatMap(({ file, line, specifier }) => {
    if (!specifier.startsWith('.') || !file.startsWith('src/')) return [];
    const [from, to] = [dirname(file), dirname(targetOf(file, specifier))];
    return from !== to && roomOf(file) === roomOf(targetOf(file, specifier)) ? [{ file, line, from, to }] : [];
  });
  const next = Map.groupBy(within, ({ from }) => from);
  const reaches = (from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean =>
    from === to || (!seen.has(from) && (next.get(from) ?? []).some((edge) => reaches(edge.to, to, new Set([...seen, from]))));
  return within
    .filter(({ from, to }) => reaches(to, from))
    .map(({ file, line, from, to }) => `${file}:${line} ${from} and ${to} import each other`);
}

function problemOf(file: string, source: string, node: SyntaxNode): string | undefined {
  if (node.type === 'TSImportType' && /\(\s*['"]\./.test(source.slice(node.start, node.end))) {
    return 'a type is imported by import(): use import type';
  }
  if (file !== ENVIRONMENT_READER && readsEnvironment(node, source)) return `process.env only in ${ENVIRONMENT_READER}`;
  if (!SQL_HOME.test(file) && isSql(node, source)) return 'SQL only in *-repository.ts and database/';
  if (file.startsWith('src/') && !file.startsWith(CLOCK_HOME) && takesTime(node, (one) => source.slice(one.start, one.end))) {
    timed.add(file);
    return file in BY_THE_MACHINE ? undefined : 'time comes from the injected clock (src/clock/clock.ts)';
  }
  return undefined;
}

/** @param textOf the source of a node */
function takesTime(node: SyntaxNode, textOf: (node: SyntaxNode) => string): boolean {
  const { type, callee, source, arguments: given = [] } = node as SyntaxNode & { arguments?: SyntaxNode[] };
  if (type === 'MemberExpression') return TIME.test(textOf(node));
  if (type === 'CallExpression') return TIMERS.test(textOf(callee as SyntaxNode));
  if (type === 'NewExpression') return textOf(callee as SyntaxNode) === 'Date' && given.length === 0;
  if (type !== 'ImportDeclaration') return false;
  const isTimers = /^'(?:node:)?timers(?:\/promises)?'$/.test(textOf(source as SyntaxNode));
  return isTimers ? /\b(?:setTimeout|setInterval|scheduler)\b/.test(textOf(node)) : /\bsystemClock\b/.test(textOf(node));
}

/** `const { env } = process` and `process[name]`; the linter detects the rest. */
function readsEnvironment({ type, init, id, object, computed, property }: SyntaxNode, source: string): boolean {
  const isProcess = (node: unknown) => (node as SyntaxNode | null)?.type === 'Identifier' && (node as { name?: string }).name === 'process';
  if (type === 'MemberExpression') return computed === true && isProcess(object) && (property as SyntaxNode).type !== 'Literal';
  if (type !== 'VariableDeclarator' || !isProcess(init)) return false;
  const { start, end } = id as SyntaxNode;
  return /\benv\b/.test(source.slice(start, end));
}

function isSql({ type, start, end }: SyntaxNode, source: string): boolean {
  if (type !== 'Literal' && type !== 'TemplateLiteral') return false;
  const text = source.slice(start + 1, end - 1);
  return !PROSE.test(text) && SQL.test(text);
}
