import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/processes/cli.ts';

const VALID = 'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-check-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(content: string | Buffer): string {
  const file = join(folder, 'integrations.yaml');
  writeFileSync(file, content);
  return file;
}

/** No variable names a database, and production would require several others. */
const check = (args: string[], env: Record<string, string> = { NODE_ENV: 'production' }) => runCli('integrations', ['check', ...args], env);

describe('npm run integrations -- check', () => {
  it('sums up a valid file', async () => {
    const file = written(VALID);
    const { code, stdout, stderr } = await check([file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^${file} is valid: 1 agent, 2 actions, revision [0-9a-f]{12}\n$`));
  });

  it('checks the file of INTEGRATIONS_FILE without an argument, and the repository’s own is valid', async () => {
    const { code, stdout } = await check([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/integrations\.yaml is valid: 9 agents, 64 actions/);
    const other = await check([], { INTEGRATIONS_FILE: written('version: 2\n') });
    expect(other.code).toBe(1);
  });

  it('prints every problem with its line and column', async () => {
    const file = written(VALID.replace('auth', 'oauth').concat('agent: {}\n'));
    const { code, stdout, stderr } = await check([file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^the integrations file is not valid:\n {2}integrations\.yaml:3:\d+ agents\.bank\.products.*\n {2}integrations\.yaml:4:1 agent: unknown key; did you mean agents\?\n$/,
    );
  });

  it.each([
    ['broken YAML', 'version: 1\nagents: [', /integrations\.yaml:2:\d+ /],
    ['nothing', '', /integrations\.yaml:1:1 is empty/],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe]), /:1:1 is not UTF-8/],
  ])('rejects %s', async (_name, content, problem) => {
    const { code, stderr } = await check([written(content)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
  });

  it('rejects a missing file and a folder', async () => {
    expect(await check([join(folder, 'missing.yaml')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("can't be read (ENOENT)"),
    });
    expect(await check([folder])).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a regular file') });
  });

  it('takes one file', async () => {
    expect((await check(['one.yaml', 'two.yaml'])).code).toBe(2);
  });
});
