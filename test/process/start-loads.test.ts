import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startIssuer } from '../support/issuer.ts';
import { loadsIn, summarizeLoads, watchLoads } from '../support/module-loads.ts';
import { hasPostgres } from '../support/postgres.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/process.ts';

let place: Place | undefined;
let child: TestProcess | undefined;

afterEach(async () => {
  await child?.kill('SIGKILL');
  await place?.remove();
});

/** Of src/, and, with TEST_BUNDLE=1, of the bundle. */
const LISTED = process.env.TEST_BUNDLE === undefined ? 'start-loads.txt' : 'start-loads-bundle.txt';

// What is loaded here is paid by every start and every replica. To accept a change, run this file with `vitest -u`.
it.skipIf(!hasPostgres)('a start of production loads the listed modules before it is ready', async () => {
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
  const summary = summarizeLoads(loads.slice(0, loads.indexOf('ready')));
  await expect(`${summary.join('\n')}\n`).toMatchFileSnapshot(LISTED);
  await issuer.close();
});
