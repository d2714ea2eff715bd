import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProductionSteward, startProduction } from '../../support/scenes/production.ts';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

const VALID = 'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n';
const CHANGED = VALID.replace('auth', 'transactions');

let folder: string;
let file: string;
let steward: TestSteward;
let production: ProductionSteward;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-reload-'));
  file = join(folder, 'integrations.yaml');
  writeFileSync(file, VALID);
  steward = await startSteward({ INTEGRATIONS_FILE: file });
  production = await startProduction({ INTEGRATIONS_FILE: file });
});

afterAll(async () => {
  await steward.stop();
  await production.stop();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  writeFileSync(file, VALID);
  expect((await reload()).status).toBe(200);
});

function reload() {
  return steward.updateIntegrations();
}

function inForce(): unknown {
  return steward.context.integrations.current.agents.get('bank');
}

/** Lines logged while `work` ran. */
async function logged(work: () => Promise<unknown>): Promise<string> {
  const { length } = steward.logs;
  await work();
  return steward.logs.slice(length).join('');
}

describe('GET /update_integrations', () => {
  it('reloads the file without a restart, for anyone', async () => {
    writeFileSync(file, CHANGED);
    const response = await reload();
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'success' });
    expect(inForce()).toMatchObject({ needs: ['transactions'] });
  });

  it('takes no parameters: the file stays the configured one', async () => {
    const other = join(folder, 'other.yaml');
    writeFileSync(other, CHANGED);
    const query = new URLSearchParams({ file: other, path: other, INTEGRATIONS_FILE: other });
    expect((await steward.call(`/update_integrations?${query}`)).body).toEqual({ status: 'success' });
    expect(inForce()).toMatchObject({ needs: ['auth'] });
  });

  it.each([
    [
      'a value that is not allowed',
      'version: 1\nagents:\n  bank: { provider: bank, description: canary-content, products: [canary-product] }\n',
      '"line":3,"column":67',
    ],
    ['broken YAML', 'version: 1\ncanary-content: [', '"line":2'],
    ['an unknown key', `${VALID}canary_key: 1\n`, '"line":4,"column":1'],
    ['nothing', '', '"line":1,"column":1'],
    ['aliases', 'version: &canary 1\nagents: *canary\n', '"line":2'],
    ['a prototype', `${VALID}__proto__: { canary: 1 }\n`, '"line":4'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), '"line":1,"column":1'],
    ['300 kB', `${VALID}# ${'x'.repeat(300_000)}`, '"line":1,"column":1'],
  ])(
    'with %s in the file is 422, keeps the old configuration, logs the place, and shows it in development only',
    async (_name, content, place) => {
      writeFileSync(file, content);
      const before = production.context.integrations.current;
      const { length } = production.logs;
      const response = await production.updateIntegrations();
      expectError(response, 'invalid_configuration');
      expect(response.text).not.toMatch(/canary|integrations\.yaml|line|column|steward-reload/);
      expect(production.logs.slice(length).join('')).toContain(place);
      expect(production.context.integrations.current).toBe(before);
      const current = steward.context.integrations.current;
      let shown: unknown;
      const lines = await logged(async () => {
        const { status, body } = await reload();
        expect([status, body.code]).toEqual([422, 'invalid_configuration']);
        shown = body.details;
      });
      expect(shown).toEqual({ problems: [expect.objectContaining({ message: expect.any(String) })], more: 0 });
      expect(JSON.stringify(shown)).toContain(place);
      expect(lines).toContain(place);
      expect(steward.context.integrations.current).toBe(current);
    },
  );

  it('without the file is 422, and 200 again when it is back', async () => {
    renameSync(file, `${file}.away`);
    expectError(await production.updateIntegrations(), 'invalid_configuration');
    const response = await reload();
    expect([response.status, response.body.code]).toEqual([422, 'invalid_configuration']);
    expect(response.text).not.toContain(folder);
    expect(inForce()).toMatchObject({ needs: ['auth'] });
    renameSync(`${file}.away`, file);
    expect((await reload()).status).toBe(200);
  });

  it('a thousand concurrent requests cause a handful of reads, and each response is 200', async () => {
    const before = steward.context.integrations.runs;
    // Pipelined, so that they arrive together.
    const more = 'GET /update_integrations HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(98);
    const last = 'GET /update_integrations HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => sendRaw(steward.url, ['GET /update_integrations HTTP/1.1'], more + last)),
    );
    const statuses = responses.flatMap(({ status, text }) => [
      status,
      ...[...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code)),
    ]);
    expect(statuses).toEqual(Array.from({ length: 1_000 }, () => 200));
    // Two for each of the ten connections, at worst.
    expect(steward.context.integrations.runs - before).toBeLessThanOrEqual(20);
  });

  it('returns to requests during a reload the file’s content at their arrival', async () => {
    const first = Array.from({ length: 20 }, reload);
    writeFileSync(file, CHANGED);
    await Promise.all([...first, ...Array.from({ length: 20 }, reload)]);
    expect(inForce()).toMatchObject({ needs: ['transactions'] });
  });
});
