import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { constructFromEvents, EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import { z } from 'zod';
import { StartRefused } from '../errors.ts';
import { type ScopeName, WORKSPACE_SCOPES } from '../providers/workspace-scopes.ts';
import { lineAndColumn, type Path, startOf, YamlPositions } from './yaml-positions.ts';

/** What the agents may use, as one version of the integrations file says it. */
export interface Integrations {
  /** The first 12 hex digits of the content's SHA-256. */
  revision: string;
  agents: Record<string, Agent>;
}

export type Agent =
  | { provider: 'workspace'; description: string; scopes: ScopeName[] }
  | { provider: 'bank'; description: string; products: ('transactions' | 'auth')[] };

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

  constructor(fileName: string, problems: readonly IntegrationsProblem[]) {
    const lines = problems.map(({ line, column, path, message }) => `  ${fileName}:${line}:${column} ${path}${path && ': '}${message}`);
    super(`the integrations file is not valid:\n${lines.join('\n')}`);
    this.name = 'IntegrationsError';
    this.problems = problems;
  }
}

interface Finding {
  path: Path;
  /** Into the source, in UTF-16 units. */
  offset: number;
  message: string;
}

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 10;
const MAX_EVENTS = 10_000;
const MAX_PROBLEMS = 20;
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

const description = z.string().min(1, 'must not be empty').max(500, 'must have at most 500 characters');
const scopeNames = Object.keys(WORKSPACE_SCOPES) as [ScopeName, ...ScopeName[]];
const agent = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({ provider: z.literal('workspace'), description, scopes: listOf(z.enum(scopeNames)) }),
    z.strictObject({ provider: z.literal('bank'), description, products: listOf(z.enum(['transactions', 'auth'])) }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be workspace or bank' : undefined) },
);
const agentName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a name of lower-case letters, digits, - and _');
const document = z.strictObject({ version: z.literal(1, 'must be 1'), agents: z.record(agentName, agent) });

function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .min(1, 'must not be empty')
    .refine((items) => new Set(items).size === items.length, 'names something twice');
}

/**
 * Reads and parses the integrations file.
 *
 * @throws IntegrationsError
 */
export async function readIntegrations(path: string): Promise<Integrations> {
  const bytes = await readBounded(path);
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wholeFile(path, 'is not UTF-8');
  }
  return parseIntegrations(source, basename(path));
}

/**
 * Parses and validates the content of an integrations file.
 *
 * @param fileName how messages call the file
 * @throws IntegrationsError with the place of every problem, twenty at most
 */
export function parseIntegrations(source: string, fileName: string): Integrations {
  const parsed = parseYaml(source, fileName);
  const result = document.safeParse(parsed.value);
  if (!result.success) {
    const findings = result.error.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => describe(issue, parsed.positions));
    findings.sort((one, other) => one.offset - other.offset);
    throw new IntegrationsError(
      fileName,
      findings.slice(0, MAX_PROBLEMS).map((finding) => locate(finding, source)),
    );
  }
  const revision = createHash('sha256').update(source).digest('hex').slice(0, 12);
  return { revision, agents: result.data.agents };
}

async function readBounded(path: string): Promise<Buffer> {
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

function parseYaml(source: string, fileName: string): { value: unknown; positions: YamlPositions } {
  const fail = (offset: number, message: string, path: Path = []): never => {
    throw new IntegrationsError(fileName, [locate({ path, offset, message }, source)]);
  };
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    // zod's issues for a list of 100,000 mistakes overflow the stack.
    const excess = events.slice(MAX_EVENTS).find((event) => startOf(event) > 0);
    if (excess !== undefined) fail(startOf(excess), 'holds too much from here on');
    refuseAliases(events, fail);
    const [value, ...others] = constructFromEvents(events, { source });
    if (value === undefined) fail(0, 'is empty');
    if (others.length > 0) fail(secondDocument(events), 'a second document is not taken');
    const positions = new YamlPositions(source, events);
    refuseReservedKeys(value, [], (path) => fail(positions.key(path), 'is a reserved name', path));
    return { value, positions };
  } catch (error) {
    if (error instanceof YAMLException && error.mark !== undefined) return fail(error.mark.position, error.reason);
    throw error;
  }
}

/** A few lines with aliases can stand for gigabytes, or for a value that contains itself. */
function refuseAliases(events: readonly Event[], fail: (offset: number, message: string) => never): void {
  const alias = events.find((event) => event.type === EVENT_ID.ALIAS);
  if (alias?.type === EVENT_ID.ALIAS) fail(alias.anchorStart - 1, 'aliases are not taken');
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

function describe(issue: z.core.$ZodIssue, positions: YamlPositions): Finding[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.slice(0, MAX_PROBLEMS).map((key) => [...path, key]);
    return unknown.map((keyPath) => ({ path: keyPath, offset: positions.key(keyPath), message: 'unknown key' }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, offset: positions.key(path), message: issue.issues[0]?.message ?? issue.message }];
  }
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [{ path, offset: positions.value(path), message: missing ? 'is missing' : issue.message }];
}

function locate({ path, offset, message }: Finding, source: string): IntegrationsProblem {
  return { ...lineAndColumn(source, offset), path: path.join('.'), message };
}
