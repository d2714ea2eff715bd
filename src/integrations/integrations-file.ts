import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { constructFromEvents, EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import type { z } from 'zod';
import { StartRefused } from '../errors.ts';
import { type Finding, fileWords, shapeFindings } from './shape-findings.ts';
import { plainYamlReason } from './yaml-hints.ts';
import { lineAndColumn, type Path, startOf, YamlPositions } from './yaml-positions.ts';

/** What the document means is decided elsewhere; here it is read, and its diagnostics are found again in the file. */
export interface IntegrationsFormat<S extends z.ZodType, Compiled> {
  schema: S;
  /** What of a document that is not of the schema can still be looked at for other diagnostics. */
  parseValidSubset(value: unknown): z.output<S>;
  /**
   * Makes of a document of the schema what the service works with.
   *
   * @param revision the first 12 hex digits of the content's SHA-256
   */
  compile(document: z.output<S>, revision: string): Promise<Compilation<Compiled>>;
  /** The known key that an unknown one may have been meant to be. */
  nearestKey(unknown: string): string | undefined;
}

export type Compilation<Compiled> = { compiled: Compiled } | { diagnostics: readonly Diagnostic[] };

/** A diagnostic that only the document as a whole shows. */
export interface Diagnostic {
  path: Path;
  /** Whether it lies in the key or in the value at `path`. */
  at: 'key' | 'value';
  message: string;
}

/** Line and column count from 1; `path` is dotted, empty for the file as a whole. */
export interface IntegrationsProblem {
  line: number;
  column: number;
  path: string;
  message: string;
}

/** The file can't be read or is not valid; the message lists its problems and is for the operator. */
export class IntegrationsError extends StartRefused {
  readonly problems: readonly IntegrationsProblem[];
  /** How many there are beside those. */
  readonly more: number;

  constructor(fileName: string, problems: readonly IntegrationsProblem[], more = 0) {
    const lines = problems.map(({ line, column, path, message }) => `  ${fileName}:${line}:${column} ${path}${path && ': '}${message}`);
    const rest = more === 0 ? [] : [`  … and ${more} more`];
    super(`the integrations file is not valid:\n${[...lines, ...rest].join('\n')}`);
    this.name = 'IntegrationsError';
    this.problems = problems;
    this.more = more;
  }
}

const MAX_BYTES = 256_000;
/** Room for inputs of a few levels, five levels into the document. */
const MAX_DEPTH = 24;
const MAX_EVENTS = 10_000;
const MAX_PROBLEMS = 20;
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Decodes and compiles the bytes of an integrations file.
 *
 * @throws IntegrationsError
 */
export async function compileIntegrations<S extends z.ZodType, Compiled>(
  bytes: Uint8Array,
  path: string,
  format: IntegrationsFormat<S, Compiled>,
): Promise<Compiled> {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wholeFile(path, 'is not UTF-8');
  }
  return parseIntegrations(source, basename(path), format);
}

/**
 * Parses, validates and compiles the content of an integrations file. What has the wrong shape doesn't hide
 * the diagnostics of the rest; a source that is no YAML does.
 *
 * @param fileName how messages call the file
 * @throws IntegrationsError with the place of every problem, in the file's order; the first twenty, and how many more
 */
export async function parseIntegrations<S extends z.ZodType, Compiled>(
  source: string,
  fileName: string,
  format: IntegrationsFormat<S, Compiled>,
): Promise<Compiled> {
  const { value, positions } = parseYaml(source, fileName);
  // Read seldom: making a parser of its own takes longer than it saves.
  const result = format.schema.safeParse(value, { error: fileWords, jitless: true });
  const misshapen = result.success ? [] : shapeFindings(result.error.issues, positions());
  const revision = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const compilation = await format.compile(result.success ? result.data : format.parseValidSubset(value), revision);
  if (result.success && 'compiled' in compilation) return compilation.compiled;
  const diagnostics = 'diagnostics' in compilation ? compilation.diagnostics : [];
  const deeper = diagnostics.map(({ path, at, message }) => ({ path, offset: positions()[at](path), message }));
  const findings = [...misshapen, ...deeper].sort((one, other) => one.offset - other.offset);
  const told = findings.slice(0, MAX_PROBLEMS).map((finding) => locate(finding, source, (key) => format.nearestKey(key)));
  throw new IntegrationsError(fileName, told, findings.length - told.length);
}

/** @throws IntegrationsError when it is no regular file of a bounded size that can be read */
export async function readBounded(path: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) throw wholeFile(path, 'is not a regular file');
    if (stat.size > MAX_BYTES) throw wholeFile(path, `has more than ${MAX_BYTES} bytes`);
    return await file.readFile();
  } catch (error) {
    if (error instanceof IntegrationsError) throw error;
    throw wholeFile(path, `can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function wholeFile(path: string, message: string): IntegrationsError {
  return new IntegrationsError(path, [{ line: 1, column: 1, path: '', message }]);
}

/** @returns the content, and the places of its parts: nobody asks for those of a valid file */
function parseYaml(source: string, fileName: string): { value: unknown; positions: () => YamlPositions } {
  const fail = (offset: number, message: string, path: Path = []): never => {
    throw new IntegrationsError(fileName, [locate({ path, offset, message }, source)]);
  };
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    // zod's issues for a list of 100,000 diagnostics overflow the stack.
    const excess = events.slice(MAX_EVENTS).find((event) => startOf(event) > 0);
    if (excess !== undefined) fail(startOf(excess), 'holds too much from here on');
    refuseAliases(events, fail);
    const [value, ...others] = constructFromEvents(events, { source });
    if (value === undefined) fail(0, 'is empty');
    if (others.length > 0) fail(secondDocument(events), 'a second document is not taken');
    let made: YamlPositions | undefined;
    const positions = () => {
      made ??= new YamlPositions(source, events);
      return made;
    };
    refuseReservedKeys(value, [], (path) => fail(positions().key(path), 'is a reserved name', path));
    return { value, positions };
  } catch (error) {
    if (error instanceof YAMLException && error.mark !== undefined) {
      const { position } = error.mark;
      return fail(position, plainYamlReason(source, position, error.reason));
    }
    throw error;
  }
}

/** A few lines with aliases can stand for gigabytes, or for a value that contains itself. */
function refuseAliases(events: readonly Event[], fail: (offset: number, message: string) => never): void {
  const alias = events.find((event) => event.type === EVENT_ID.ALIAS);
  if (alias?.type === EVENT_ID.ALIAS) fail(alias.anchorStart - 1, 'aliases are not taken; a text that begins with * needs quotes');
}

function secondDocument(events: readonly Event[]): number {
  const [, second = 0] = events.flatMap((event, index) => (event.type === EVENT_ID.DOCUMENT ? [index] : []));
  const content = events[second + 1];
  return content === undefined ? 0 : Math.max(startOf(content), 0);
}

/** zod drops `__proto__` from records in silence. */
function refuseReservedKeys(value: unknown, path: string[], fail: (path: string[]) => never): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (RESERVED_KEYS.has(key)) fail([...path, key]);
    refuseReservedKeys(child, [...path, key], fail);
  }
}

/** @param nearestKey is only asked for what is told: comparing names takes time */
function locate(finding: Finding, source: string, nearestKey?: (key: string) => string | undefined): IntegrationsProblem {
  const { path, offset, message, unknownKey } = finding;
  const nearest = unknownKey === undefined ? undefined : nearestKey?.(unknownKey);
  const hint = nearest === undefined ? '' : nearest === unknownKey ? ' here' : `; did you mean ${nearest}?`;
  return { ...lineAndColumn(source, offset), path: path.join('.'), message: message + hint };
}
