import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shell } from '../../../public/language/en/shell.js';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;
let port: string;

beforeAll(async () => {
  steward = await startSteward();
  port = new URL(steward.url).port;
});

afterAll(() => steward.stop());

/** `fetch` does not allow a Host header. */
async function get(path: string, host: string): Promise<{ status: number | undefined; location: string | undefined }> {
  const request = httpGet(`${steward.url}${path}`, { headers: { host } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, location: response.headers.location };
}

it('the console’s document has its words from the language module', async () => {
  const source = readFileSync(new URL('../../../public/console/index.html', import.meta.url), 'utf8');
  const named = new Set([...source.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
  expect([...named].toSorted()).toEqual(Object.keys(shell).toSorted());
  const { text } = await steward.call('/');
  expect(text).not.toContain('{{');
  for (const words of Object.values(shell)) expect(text).toContain(words);
  const others = source.replaceAll(/<!--.*?-->|<[^>]*>|\{\{\w+\}\}/gs, ' ').match(/\p{L}[\p{L}.]+/gu);
  expect(others).toEqual(['Steward', 'Steward', 'openapi.json', 'test']);
});

describe('a page of development under another loopback name', () => {
  it.each(['/', '/api-docs'])('redirects %s to the public address, once', async (path) => {
    const redirected = await get(path, `localhost:${port}`);
    expect(redirected.status).toBe(302);
    expect(redirected.location).toBe(`${steward.url}${path}`);
    expect((await get(path, `127.0.0.1:${port}`)).status).toBe(200);
  });

  it('keeps the query, which may contain the result of a flow', async () => {
    const { location } = await get('/?integration=workspace&status=connected', `localhost:${port}`);
    expect(location).toBe(`${steward.url}/?integration=workspace&status=connected`);
  });

  it.each([
    ['a host that is not loopback', (): string => `app.example.com:${port}`],
    ['a tunnel at another port', (): string => 'localhost:1'],
    ['a host that is not a URL', (): string => 'localhost:port'],
  ])('does not redirect %s', async (_name, host) => {
    expect((await get('/', host())).status).toBe(200);
  });

  it('never redirects a request to the interface', async () => {
    expect((await get('/test', `localhost:${port}`)).status).toBe(200);
    expect((await get('/integrations', `localhost:${port}`)).status).toBe(401);
  });
});
