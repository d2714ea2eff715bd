import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { loadsIn, packageOf, watchLoads } from '../support/processes/module-loads.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { startIssuer } from '../support/servers/issuer.ts';

/** The dependencies that a start needs. Every other one is loaded by what first uses it: each start and replica would pay for it. */
const NEEDED = ['cookie', 'cors', 'express', 'helmet', 'ipaddr.js', 'js-yaml', 'lru-cache', 'p-limit', 'pg', 'pino', 'ws', 'zod'];
/** About a tenth more than it is; with TEST_BUNDLE=1, of the bundle. */
const MOST_MODULES = process.env.TEST_BUNDLE === undefined ? 700 : 20;

let place: Place | undefined;
let child: TestProcess | undefined;

afterEach(async () => {
  await child?.kill('SIGKILL');
  await place?.remove();
});

it.skipIf(!hasPostgres)('a start of production loads no dependency that it doesn’t need, and few modules, before it is ready', async () => {
  const issuer = await startIssuer();
  place = await createPlace();
  const file = join(place.dataDir, 'loads');
  child = await startProcess({
    ...place.env,
    ...issuer.env,
    ...watchLoads(file),
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'http://127.0.0.1:1',
    SITE_URL: 'https://example.com/',
    MASTER_KEYS: `test:${randomBytes(32).toString('base64')}`,
  });
  const loads = loadsIn(file);
  const before = loads.slice(0, loads.indexOf('ready')).filter((url) => url.startsWith('file:'));
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const loaded = new Set(before.map(packageOf).filter((name) => name !== undefined && name in dependencies));
  expect([...loaded].filter((name) => !NEEDED.includes(name as string)).toSorted()).toEqual([]);
  expect(before.filter((url) => url.includes('/sandbox/'))).toEqual([]);
  // The words of questions.
  expect(before.filter((url) => url.endsWith('/language/en/approvals.js'))).toEqual([]);
  expect(before.length).toBeGreaterThan(0);
  expect(before.length).toBeLessThan(MOST_MODULES);
  await issuer.close();
});
