import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { check } from './support/check.ts';
import { SIXTY } from './support/sixty.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN_MS = 40 * 60_000;

interface Result {
  fullName: string;
  status: string;
}

let folder: string;
let results: Map<string, Result[]>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-sixty-'));
  const names = new Set(SIXTY.flatMap(({ tests }) => tests.map(([file]) => file)));
  const paths = new Map(globSync('test/**/*.test.ts', { cwd: ROOT }).map((path) => [basename(path, '.test.ts'), path]));
  const absent = [...names].filter((name) => !paths.has(name));
  if (absent.length > 0) throw new Error(`there is no ${absent.join(', ')}`);
  results = await runTests([...names].flatMap((name) => paths.get(name) ?? []));
}, RUN_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs them like `npm test`, in a separate process. */
async function runTests(files: string[]): Promise<Map<string, Result[]>> {
  const report = join(folder, 'results.json');
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--reporter=json', `--outputFile=${report}`];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore' });
  await once(child, 'exit');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { name: string; assertionResults: Result[] }[] };
  return new Map(testResults.map(({ name, assertionResults }) => [/([^/]+)\.test\.ts$/.exec(name)?.[1] ?? name, assertionResults]));
}

for (const [index, { fault, tests }] of SIXTY.entries()) {
  check(`${String(index + 1).padStart(2)} ${fault}`, () => {
    const found = tests.map(([file, name]) => ({
      file,
      name,
      all: (results.get(file) ?? []).filter(({ fullName }) => name.test(fullName)),
    }));
    const missing = found.filter(({ all }) => all.length === 0).map(({ file, name }) => `${file}.test.ts has no test of ${name}`);
    const all = found.flatMap((each) => each.all);
    const failed = all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    const skipped = all.filter(({ status }) => status !== 'failed' && status !== 'passed');
    const left = skipped.map(({ fullName }) => `left out: ${fullName}`);
    if (left.length > 0 && process.env.CI === undefined) {
      return {
        tried: all.length - left.length,
        failed: [...missing, ...failed],
        missing: `${left[0]} (it needs TEST_DATABASE_URL or a Debian package)`,
      };
    }
    return { tried: all.length, failed: [...missing, ...failed, ...left] };
  });
}
