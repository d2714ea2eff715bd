import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { constructFromEvents, EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import type { z } from 'zod';
import { StartError } from '../../errors.ts';
import { RESERVED_KEYS } from '../../validation/reserved-keys.ts';
import type { IntegrationsDocument } from './declaration.ts';
import type { Diagnostic } from './diagnostics.ts';
import { fileMessage, type LocatedDiagnostic, schemaDiagnostics } from './schema-diagnostics.ts';
import { plainYamlReason } from './yaml-hints.ts';
import { lineAndColumn, type Path, startOf, YamlPositions } from './yaml-positions.ts';

/** The format of the file's document. */
export interface IntegrationsFormat<Compiled> {
  schema: z.ZodType<IntegrationsDocument>;
  /** The valid parts of an invalid document, so that they can be checked for further diagnostics. */
  parseValidSubset(value: unknown): IntegrationsDocument;
  /**
   * Compiles a valid document.
   *
   * @param revision the first 12 hex digits of the content's SHA-256
   */
  compile(document: IntegrationsDocument, revision: string): Promise<Compilation<Compiled>>;
  /** The known key that is most similar to an unknown one. */
  nearestKey(unknown: string): string | undefined;
}

export type Compilation<Compiled> = { compiled: Compiled } | { diagnostics: readonly Diagnostic[] };

/** Line and column count from 1; `path` is dotted, empty for the file as a whole. */
export interface IntegrationsProblem {
  line: number;
  column: number;
  path: string;
  message: string;
}

/** The file can't be read or is not valid; the message lists its problems and is for the operator. */
export class IntegrationsError extends StartError {
  readonly problems: readonly IntegrationsProblem[];
  /** Number of further problems. */
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
/** Allows inputs of several levels, five levels into the document. */
const MAX_DEPTH = 24;
const MAX_EVENTS = 10_000;
const MAX_PROBLEMS = 20;

/**
 * Decodes and compiles the bytes of an integrations file.
 *
 * @throws IntegrationsError
 */
export async function compileIntegrations<Compiled>(
  bytes: Uint8Array,
  path: string,
  format: IntegrationsFormat<Compiled>,
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
 * Parses, validates and compiles the content of an integrations file. Reports all problems at once, except those of
 * invalid YAML, which are reported alone.
 *
 * @param fileName name of the file in messages
 * @throws IntegrationsError with the position of the first twenty problems, in the file's order, and the number of further ones
 */
export async function parseIntegrations<Compiled>(
  source: string,
  fileName: string,
  format: IntegrationsFormat<Compiled>,
): Promise<Compiled> {
  const { value, positions } = parseYaml(source, fileName);
  // Parsed rarely: compiling a parser takes longer than it saves.
  const result = format.schema.safeParse(value, { error: fileMessage, jitless: true });
  const invalid = result.success ? [] : schemaDiagnostics(result.error.issues, positions());
  const revision = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const compilation = await format.compile(result.success ? result.data : format.parseValidSubset(value), revision);
  if (result.success && 'compiled' in compilation) return compilation.compiled;
  const diagnostics = 'diagnostics' in compilation ? compilation.diagnostics : [];
  const compiled = diagnostics.map(({ path, at, message }) => ({ path, offset: positions()[at](path), message }));
  const sorted = [...invalid, ...compiled].sort((one, other) => one.offset - other.offset);
  const shown = sorted.slice(0, MAX_PROBLEMS).map((diagnostic) => locate(diagnostic, source, (key) => format.nearestKey(key)));
  throw new IntegrationsError(fileName, shown, sorted.length - shown.length);
}

/** @throws IntegrationsError when it can't be read, is not a regular file or is too large */
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

/** @returns the content, and a function for the positions of its parts, which only invalid files need */
function parseYaml(source: string, fileName: string): { value: unknown; positions: () => YamlPositions } {
  const fail = (offset: number, message: string, path: Path = []): never => {
    throw new IntegrationsError(fileName, [locate({ path, offset, message }, source)]);
  };
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    // zod's issues for a list of 100,000 diagnostics overflow the stack.
    const excess = events.slice(MAX_EVENTS).find((event) => startOf(event) > 0);
    if (excess !== undefined) fail(startOf(excess), 'has too many values from here on');
    rejectAliases(events, fail);
    const [value, ...others] = constructFromEvents(events, { source });
    if (value === undefined) fail(0, 'is empty');
    if (others.length > 0) fail(secondDocument(events), 'only one document is supported');
    let made: YamlPositions | undefined;
    const positions = () => {
      made ??= new YamlPositions(source, events);
      return made;
    };
    rejectReservedKeys(value, [], (path) => fail(positions().key(path), 'is a reserved name', path));
    return { value, positions };
  } catch (error) {
    if (error instanceof YAMLException && error.mark !== undefined) {
      const { position } = error.mark;
      return fail(position, plainYamlReason(source, position, error.reason));
    }
    throw error;
  }
}

/** A few lines with aliases can expand to gigabytes, or to a value that contains itself. */
function rejectAliases(events: readonly Event[], fail: (offset: number, message: string) => never): void {
  const alias = events.find((event) => event.type === EVENT_ID.ALIAS);
  if (alias?.type === EVENT_ID.ALIAS) fail(alias.anchorStart - 1, 'aliases are not supported; put text that begins with * in quotes');
}

function secondDocument(events: readonly Event[]): number {
  const [, second = 0] = events.flatMap((event, index) => (event.type === EVENT_ID.DOCUMENT ? [index] : []));
  const content = events[second + 1];
  return content === undefined ? 0 : Math.max(startOf(content), 0);
}

/** zod silently drops `__proto__` from records. */
function rejectReservedKeys(value: unknown, path: string[], fail: (path: string[]) => never): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (RESERVED_KEYS.has(key)) fail([...path, key]);
    rejectReservedKeys(child, [...path, key], fail);
  }
}

/** @param nearestKey called only for the diagnostics that are shown, because comparing names takes time */
function locate(diagnostic: LocatedDiagnostic, source: string, nearestKey?: (key: string) => string | undefined): IntegrationsProblem {
  const { path, offset, message, unknownKey } = diagnostic;
  const nearest = unknownKey === undefined ? undefined : nearestKey?.(unknownKey);
  const hint = nearest === undefined ? '' : nearest === unknownKey ? ' here' : `; did you mean ${nearest}?`;
  return { ...lineAndColumn(source, offset), path: path.join('.'), message: message + hint };
}
