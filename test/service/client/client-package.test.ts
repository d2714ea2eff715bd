import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The example of the package's own guide, and what it leaves out. */
const [, EXAMPLE = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'client/README.md'), 'utf8')) ?? [];

let steward: TestSteward;
let folder: string;

beforeAll(async () => {
  steward = await startSteward();
  folder = mkdtempSync(join(tmpdir(), 'steward-package-'));
  install();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await steward.stop();
});

/** What `npm install` of the packed file does, without a registry. */
function install(): void {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(ROOT, 'client'), encoding: 'utf8' });
  const target = join(folder, 'node_modules/@steward/client');
  mkdirSync(target, { recursive: true });
  const [{ filename }] = Object.values(JSON.parse(packed)) as [{ filename: string }];
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
}

/** Compiles a file of the folder's; returns the errors. */
function compile(name: string, text: string, options: Record<string, unknown>): string[] {
  writeFileSync(join(folder, name), text);
  const lib = ['es2024', 'dom', 'dom.iterable'];
  const compilerOptions = { strict: true, target: 'es2022', lib, types: [], outDir: 'out', ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [name] }));
  try {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n').filter((line) => line.includes('error'));
  }
}

const BUNDLED = { module: 'esnext', moduleResolution: 'bundler' };
const NODE = { module: 'nodenext', moduleResolution: 'nodenext' };
const STRICTEST = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

describe('@steward/client in a folder of its own', () => {
  it.each([
    { ...NODE, skipLibCheck: false },
    { ...NODE, skipLibCheck: true },
    { ...BUNDLED, skipLibCheck: false },
    { ...BUNDLED, skipLibCheck: true },
    { ...NODE, ...STRICTEST, skipLibCheck: false },
  ])('compiles the example of its README under strict, with %o', (options) => {
    expect(
      compile(
        'example.ts',
        `const idToken = process.env.ID_TOKEN;\ndeclare const process: { env: Record<string, string> };\n${EXAMPLE}`,
        options,
      ),
    ).toEqual([]);
  });

  it('works against the service', async () => {
    const { token } = await connect(steward);
    const program = `import { deepStrictEqual as equal } from 'node:assert';
declare const process: { env: Record<string, string | undefined> };
const idToken = process.env.ID_TOKEN;
${EXAMPLE.replace('http://127.0.0.1:8080', steward.url)}
const failed = await steward.call('drive.info', { id: 'none' }).catch((error: unknown) => error);
equal(failed instanceof StewardError && failed.code, 'not_found');
const { agents } = await steward.list();
equal(agents.find(({ name }) => name === 'mail')?.status, 'ready');
const declared = await steward.call('files.unknown').catch(() => ({ data: 0 as unknown }));
equal(declared.data, 0);
equal(accounts.data.accounts.map(({ status }) => status), ['active']);
steward.close();
`.replace(
      "import { deepStrictEqual as equal } from 'node:assert';",
      "// @ts-expect-error there are no types of Node here\nimport { deepStrictEqual as equal } from 'node:assert';",
    );
    expect(compile('program.ts', program, NODE)).toEqual([]);
    const { stdout } = await promisify(execFile)(process.execPath, ['out/program.js'], { cwd: folder, env: { ID_TOKEN: token } });
    expect(stdout).toContain('demo@example.com');
  });

  it('rejects what the interface does not have', () => {
    const program = `import { StewardClient } from '@steward/client';
import { createClient, getAuthWorkspaceAccounts } from '@steward/client/http';
import type { Actions, ServerFrame } from '@steward/client/types';
const steward = new StewardClient({ url: 'http://127.0.0.1', token: () => undefined });
await steward.call('mail.search', { queri: 'is:unread' });
const { data } = await steward.call('mail.search', {});
data.nothing;
steward.addEventListener('account.status', ({ detail }) => detail.data.nothing);
const accounts = await getAuthWorkspaceAccounts({ client: createClient(), throwOnError: true });
accounts.data.nothing;
export type Gone = Actions['mail.nothing'];
export const frame = (one: ServerFrame) => one.nothing;
`;
    const errors = compile('wrong.ts', program, NODE);
    const lines = errors.map((line) => Number(/\((\d+),/.exec(line)?.[1]));
    expect(lines).toEqual([5, 7, 8, 10, 11, 12]);
  });
});
