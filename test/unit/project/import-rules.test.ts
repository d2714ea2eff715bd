import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const project = realpathSync(mkdtempSync(join(tmpdir(), 'steward-imports-')));

/** Files that break one rule each, which the title names. */
const BROKEN: [title: string, file: string, source: string, rule: string][] = [
  ['an import of a higher layer', 'src/http/upward.ts', "import '../vault/grants.ts';", 'check-imports'],
  ['an import of a sibling', 'src/bank/sideways.ts', "import '../users/users-service.ts';", 'check-imports'],
  ['a type of a higher layer', 'src/database/type.ts', "import type { Grants } from '../vault/grants.ts';", 'check-imports'],
  ['a re-export of a higher layer', 'src/crypto/again.ts', "export * from '../vault/grants.ts';", 'check-imports'],
  ['a dynamic import of a higher layer', 'src/jobs/later.ts', "await import('../vault/grants.ts');", 'check-imports'],
  ['a deep file that imports upwards', 'src/actions/mail/deep.ts', "import '../../executor/executor.ts';", 'check-imports'],
  ['a root file that imports upwards', 'src/errors.ts', "import './app.ts';", 'check-imports'],
  ['express in a service', 'src/bank/some-service.ts', "import express from 'express';", 'check-imports'],
  ['ws outside of the socket', 'src/events/hub.ts', "import { WebSocketServer } from 'ws';", 'check-imports'],
  ['an SDK outside of its provider', 'src/vault/sdk.ts', "import type { PlaidApi } from 'plaid';", 'check-imports'],
  ['a part of an SDK outside of its provider', 'src/actions/part.ts', "import 'googleapis/build/src/apis/gmail';", 'check-imports'],
  ['the whole of googleapis', 'src/providers/workspace/all.ts', "import { google } from 'googleapis';", 'check-imports'],
  ['the AWS SDK beside its one file', 'src/crypto/kms.ts', "import '@aws-sdk/client-kms';", 'check-imports'],
  [
    'the sandbox in the service',
    'src/server.ts',
    "import '../sandbox/sandbox.ts';\nimport { systemClock } from './clock/clock.ts';",
    'check-imports',
  ],
  ['the service in the sandbox', 'sandbox/bank/reach.ts', "import '../../src/vault/grants/grants.ts';", 'check-imports'],
  ['an SDK in the sandbox', 'sandbox/sdk.ts', "import 'plaid';", 'check-imports'],
  ['the environment as a module', 'src/users/environment.ts', "import { env } from 'node:process';", 'check-imports'],
  ['the environment', 'src/startup/environment.ts', 'export const port = process.env.PORT;', 'noProcessEnv'],
  ['the environment in the configuration', 'src/config/other.ts', "export const port = process['env'].PORT;", 'noProcessEnv'],
  ['the environment, destructured', 'src/jobs/environment.ts', 'export const { env } = process;', 'check-imports'],
  ['a cycle of types', 'src/home/one.ts', "import type { Two } from './two.ts';\nexport type One = Two;", 'noImportCycles'],
  ['a type by import()', 'src/http/inline.ts', "export type Two = import('../vault/two.ts').Two;", 'check-imports'],
  ['SQL in a service', 'src/users/sql.ts', "export const sql = 'select id from users';", 'check-imports'],
  ['the date in a service', 'src/users/today.ts', 'export const today = new Date();', 'check-imports'],
  ['a timer in a service', 'src/users/timer.ts', 'setTimeout(() => {}, 1);', 'check-imports'],
  ['a file without a layer', 'src/misc/some.ts', 'export {};', 'check-imports'],
  ['a file below the rules', 'src/bank/a/b/some.ts', 'export {};', 'check-imports'],
  [
    'a suppressed rule',
    'src/vault/suppressed.ts',
    '// biome-ignore lint/style/noProcessEnv: quick\nexport const port = process.env.PORT;',
    'check-imports',
  ],
  ['folders of a room that import each other', 'src/vault/refresh/back.ts', "import '../grants.ts';", 'check-imports'],
  ['a folder of more than 20 files', 'src/waitlist/z.ts', 'export {};', 'check-imports'],
  ['the room above its folder', 'src/vault/forth.ts', "import './refresh/back.ts';", 'check-imports'],
];

const SOUND: [file: string, source: string][] = [
  ['src/home/two.ts', "import type { One } from './one.ts';\nexport type Two = One;"],
  ['src/bank/some-routes.ts', "import express from 'express';\nimport '../errors.ts';\nimport '../vault/grants.ts';"],
  ['src/providers/workspace/one.ts', "import 'googleapis/build/src/apis/gmail';\nimport '../provider-fetch.ts';"],
  ['src/crypto/aws-kms.ts', "import '@aws-sdk/client-kms';"],
  ['src/users/users-repository.ts', "export const sql = 'select id from users';"],
  ['src/config/load-config.ts', 'export const port = process.env.PORT;'],
  ['src/main.ts', "// await import('../sandbox/sandbox.ts');\nperformance.now();"],
  ...Array.from({ length: 20 }, (_, index): [string, string] => [`src/waitlist/file-${index}.ts`, 'export {};']),
  ['sandbox/bank/some-routes.ts', "import express from 'express';\nimport '../../src/http/body.ts';"],
];

/** File → rules that it breaks, by the linter and by scripts/checks/check-imports.ts. */
const found = new Map<string, string[]>();

function add(file: string, rule: string): void {
  const rules = found.get(file) ?? [];
  if (!rules.includes(rule)) found.set(file, [...rules, rule]);
}

beforeAll(() => {
  for (const name of ['biome.json', '.gitignore', 'scripts', 'package.json']) {
    cpSync(join(ROOT, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  for (const [file, source] of [...SOUND, ...BROKEN.map(([, file, source]) => [file, source] as const)]) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), `${source}\n`);
  }
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
  const linted = run('node_modules/@biomejs/biome/bin/biome', 'lint', '--reporter=github', '--max-diagnostics=none', 'src', 'sandbox');
  const reported = linted.stdout.matchAll(/title=lint\/\w+\/(noProcessEnv|noImportCycles),file=([^,]+)/g);
  for (const [, rule = '', file = ''] of reported) add(relative(project, file), rule);
  const checked = run('scripts/checks/check-imports.ts');
  for (const [, file = ''] of checked.stderr.matchAll(/^(\S+?):\d+ /gm)) add(file, 'check-imports');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the import rules', () => {
  it.each(BROKEN)('reject %s', (_title, file, _source, rule) => {
    expect(found.get(file)).toEqual([rule]);
  });

  it.each(SOUND.filter(([file]) => file !== 'src/home/two.ts'))('accept %s', (file) => {
    expect(found.get(file)).toBeUndefined();
  });
});
