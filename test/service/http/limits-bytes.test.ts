import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newName } from '../../support/scenes/flows.ts';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const BODY = JSON.stringify({ approved: true, input: { text: 'x'.repeat(90_000) } });
const PATHS = ['/approvals/00000000-0000-4000-8000-000000000000', '/agents/mail.search'];

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_SOCKET_BYTES_PER_MINUTE: '200000', LIMIT_SOCKET_PAYLOAD_BYTES: '100000' });
});
afterAll(() => steward.stop());

describe('the bytes of a user’s bodies', () => {
  it.each(PATHS)('are counted at %s', async (path) => {
    const token = await steward.signIn(newName());
    const post = () => steward.call(path, { token, body: BODY, headers: { 'content-type': 'application/json' } });
    for (const _ of [1, 2]) expect((await post()).status).not.toBe(429);
    expect(await post()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });

  it.each(PATHS)('of unknown length count as the most that they may be at %s', async (path) => {
    const head = [`POST ${path} HTTP/1.1`, `Authorization: ${await steward.signIn(newName())}`, 'Content-Type: application/json'];
    const post = () => sendRaw(steward.url, [...head, 'Transfer-Encoding: chunked', 'Connection: close'], '2\r\n{}\r\n0\r\n\r\n');
    for (const _ of [1, 2]) expect((await post()).status).not.toBe(429);
    expect(await post()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });
});
