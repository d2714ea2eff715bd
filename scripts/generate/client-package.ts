// Makes client/generated, the parts of @steward/client that follow from the interface: types of frames, events and actions,
// the HTTP client, and the declarations of the socket client. `--check` only compares.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openApiDocument } from '../../src/http/endpoints/openapi.ts';
import { asyncApiDocument } from '../../src/socket/asyncapi.ts';
import { version } from '../../src/startup/version.ts';
import { writeHttpClient } from '../http-client/http-client.ts';
import { type AsyncApi, typesOf } from './client-types.ts';
import { declaredEndpoints } from './declared-endpoints.ts';
import { writeGenerated } from './generated-file.ts';

const ROOT = join(import.meta.dirname, '../..');
const TARGET = 'client/generated';
const SERVICE = { publicUrl: 'http://127.0.0.1:8080', version: version(), environment: 'development' } as const;
const COMPILER = [
  '--target',
  'es2022',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--strict',
  '--declaration',
  '--ignoreConfig',
];

/** What JSDoc can't say: `detail` of each event. */
const LISTENERS = `
type Detail<Frame extends { seq: number; at: string; event: string; data: object }> = CustomEvent<Pick<Frame, 'seq' | 'at' | 'event' | 'data'>>;
type StewardListeners = { [Name in keyof import('./types.js').Events]: Detail<import('./types.js').Events[Name]> } & {
  /** Every event of the user. */
  event: Detail<import('./types.js').EventFrame>;
  state: CustomEvent<{ state: 'closed' | 'connecting' | 'open' | 'waiting'; reason?: StewardError }>;
};

export interface StewardClient {
  addEventListener<Name extends keyof StewardListeners>(
    type: Name,
    listener: (this: StewardClient, event: StewardListeners[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof StewardListeners>(
    type: Name,
    listener: (this: StewardClient, event: StewardListeners[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | EventListenerOptions): void;
}
`;

const work = mkdtempSync(join(tmpdir(), 'steward-client-'));
try {
  const files = await generate();
  const outdated = existing().filter((path) => !files.has(path));
  for (const [path, content] of files) {
    if (!process.argv.includes('--check')) mkdirSync(dirname(join(ROOT, TARGET, path)), { recursive: true });
    writeGenerated(`${TARGET}/${path}`, content, 'scripts/generate/client-package.ts');
  }
  remove(outdated);
  checkVersion();
} finally {
  rmSync(work, { recursive: true });
}

/** Every file of the folder, by its path in it. */
async function generate(): Promise<Map<string, string>> {
  const types = await typesOf((await asyncApiDocument(SERVICE)) as AsyncApi);
  const files = new Map([
    ['types.d.ts', types],
    ['types.js', 'export {};\n'],
  ]);
  await writeHttpClient(openApi(), join(work, 'http'));
  tsc('--outDir', join(work, 'compiled'), '--lib', 'es2022,dom,dom.iterable', join(work, 'http/http.ts'));
  for (const path of globSync('**/*.{js,d.ts}', { cwd: join(work, 'compiled') }).sort()) {
    files.set(join('http', path), readFileSync(join(work, 'compiled', path), 'utf8'));
  }
  files.set('steward-client.d.ts', declarations(types));
  return files;
}

/** Endpoints for programs: those with a JSON response, except the provider's webhooks. */
function openApi(): object {
  const documents = ['/openapi.json', '/asyncapi.json'];
  const endpoints = declaredEndpoints().filter(
    ({ response, signed, path }) => response !== undefined && signed === undefined && !documents.includes(path),
  );
  // Browsers send a session's cookie by themselves; the client would send what `auth` gives, an ID token, in its place.
  const document = openApiDocument(endpoints, SERVICE);
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path) as { security?: object[] }[]);
  for (const operation of operations) operation.security = operation.security?.filter((way) => !('session' in way)) ?? [];
  return document;
}

/** The socket client's declarations, which follow from its comments, and its events by name. */
function declarations(types: string): string {
  mkdirSync(join(work, 'socket/generated'), { recursive: true });
  writeFileSync(join(work, 'socket/generated/types.d.ts'), types);
  writeFileSync(join(work, 'socket/steward-client.js'), readFileSync(join(ROOT, 'client/steward-client.js')));
  const flags = ['--allowJs', '--checkJs', '--emitDeclarationOnly', '--lib', 'es2024,dom,dom.iterable', '--types', ''];
  tsc(...flags, '--outDir', join(work, 'declared'), join(work, 'socket/steward-client.js'));
  const made = readFileSync(globSync(join(work, 'declared/**/steward-client.d.ts'))[0] ?? '', 'utf8');
  return made.replaceAll('./generated/types', './types') + LISTENERS;
}

function tsc(...args: string[]): void {
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...COMPILER, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
}

function existing(): string[] {
  return globSync('**/*.{js,ts}', { cwd: join(ROOT, TARGET) });
}

/** Files of an earlier interface. */
function remove(paths: string[]): void {
  for (const path of paths) {
    if (!process.argv.includes('--check')) rmSync(join(ROOT, TARGET, path));
    else {
      console.error(`${TARGET}/${path} is no longer generated: run node scripts/generate/client-package.ts`);
      process.exitCode = 1;
    }
  }
}

/** The package has the version of the service whose interface it describes. */
function checkVersion(): void {
  const file = join(ROOT, 'client/package.json');
  const manifest = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (manifest.includes(`"version": "${SERVICE.version}"`)) return;
  console.error(`client/package.json must have version ${SERVICE.version}, as package.json.`);
  process.exitCode = 1;
}
