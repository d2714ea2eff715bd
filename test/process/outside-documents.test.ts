import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../support/browser/browser.ts';
import { BankEmulator } from '../support/emulators/bank-emulator.ts';
import { deliver, linkEmulated, WebhookSigner } from '../support/emulators/bank-webhooks.ts';
import { ScriptedModel } from '../support/emulators/scripted-model.ts';
import { HEAD, JSON_VALUES, members, nested } from '../support/inputs/worst-inputs.ts';
import { type Ending, MainThread } from '../support/processes/main-thread.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { FrontEnd } from '../support/scenes/chat-scene.ts';
import { newName } from '../support/scenes/flows.ts';
import { Authorization, REDIRECT } from '../support/scenes/oauth-scene.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { McpClient } from '../support/users/mcp-client.ts';
import { locationOf, sessionOf } from '../support/users/sign-in.ts';

let place: Place;
let issuer: TestIssuer;

beforeAll(async () => {
  [place, issuer] = await Promise.all([createPlace(), startIssuer()]);
});

afterAll(async () => {
  MainThread.print();
  await issuer.close();
  await place.remove();
});

function assertWithin({ outcome, excess }: Ending): void {
  expect(excess, outcome).toBeUndefined();
}

describe('an issuer may publish', () => {
  const KIB = 1024;
  const keyOf = (bytes: number) => ({ kty: 'RSA', e: 'AQAB', n: Buffer.from(randomBytes(bytes).fill(0xff, 0, 1)).toString('base64url') });
  const points = () =>
    Array.from({ length: 99 }, (_, index) => ({
      ...generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({ format: 'jwk' }),
      kid: `k${index}`,
    }));

  it.each<[string, () => [discovery: object, keys: object[]]]>([
    ['a hundred points on a curve, and many names', () => [JSON.parse(members(200 * KIB)), points()]],
    [
      'long moduli',
      () => [{ deep: JSON.parse(nested(4 * KIB)) }, Array.from({ length: 99 }, (_, kid) => ({ ...keyOf(1_800), kid: `k${kid}` }))],
    ],
    ['one modulus of a million bits', () => [{ long: 'x'.repeat(240 * KIB) }, [{ ...keyOf(180_000), kid: 'k' }]]],
  ])('%s', async (kind, make) => {
    issuer.publishes(...make());
    const turn = await MainThread.longestFirstTurn(`issuer: ${kind}`, { ...place.env, ...issuer.env }, async (steward) => {
      const { status } = await steward.call('/integrations', { token: await issuer.sign('ada') });
      return String(status);
    });
    issuer.publishes({}, []);
    expect(turn.outcome).toBe('200');
    assertWithin(turn);
  });

  it('tokens of any size', async () => {
    const mainThread = new MainThread();
    const steward = await startProcess({ ...place.env, ...issuer.env, OIDC_CLIENT_ID: 'pages', ...mainThread.env });
    try {
      for (const kind of ['one text', 'a million of {}', 'names of one object', 'nested']) {
        const tokens = { access_token: 'x', token_type: 'Bearer', id_token: 'y', more: '?' };
        issuer.respondsWith(JSON.stringify(tokens).replace('"?"', JSON_VALUES[kind]?.() ?? ''));
        const turn = await mainThread.longestTurn(`issuer's tokens: ${kind}`, async () => {
          const browser = new FormBrowser(steward.url);
          const state = new URL(locationOf(await browser.visit('/sign-in'))).searchParams.get('state');
          return String((await browser.visit(`/auth/session/callback?code=c&state=${state}`)).status);
        });
        expect(['403', '503']).toContain(turn.outcome);
        assertWithin(turn);
      }
    } finally {
      mainThread.close();
      await steward.kill('SIGKILL');
    }
  });
});

describe('whoever sends webhooks', () => {
  let aggregator: BankEmulator;
  let steward: TestProcess;
  const signer = new WebhookSigner('key-1');
  const mainThread = new MainThread();

  beforeAll(async () => {
    aggregator = await new BankEmulator().start();
    aggregator.on('/webhook_verification_key/get', { body: signer.answer() });
    steward = await startProcess({ ...place.env, ...aggregator.env, ...mainThread.env });
    await linkEmulated(steward, await steward.signIn(newName()));
  });
  afterAll(async () => {
    mainThread.close();
    await steward.kill('SIGKILL');
    await aggregator.stop();
  });

  const SIZE = 255 * 1024;
  it.each<[string, () => string]>([
    ['one text', () => `"${'x'.repeat(SIZE)}"`],
    ['nested lists', () => nested(SIZE)],
    ['many names', () => members(SIZE)],
    ['many values', () => `[${'{},'.repeat(SIZE / 3)}{}]`],
    ['white space', () => `[${' '.repeat(SIZE)}]`],
  ])('may send %s', async (kind, make) => {
    const body = `${HEAD}${make()}}`;
    const proof = await signer.sign(body);
    for (const [signed, header] of [
      ['signed', proof],
      ['not signed', `${'A'.repeat(12_000)}.${proof}`],
    ] as const) {
      const turn = await mainThread.longestTurn(`webhook, ${signed}: ${kind}`, async () =>
        String((await deliver(steward, body, header)).status),
      );
      expect(['200', '400', '401']).toContain(turn.outcome);
      assertWithin(turn);
    }
  });
});

/** Leads every https request of the process to a server on loopback: such documents must be in the public internet. */
const REDIRECTION = `
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
https.get = ({ pathname, search }, { signal, headers }, done) =>
  http.get(new URL(pathname + search, process.env.DOCUMENTS), { signal, headers, agent: false }, done);
syncBuiltinESMExports();`;

describe('a client may publish', () => {
  let documents: LoopbackServer;
  let steward: TestProcess;
  const mainThread = new MainThread();
  let browser: FormBrowser;
  let respond: (response: ServerResponse, id: string) => void;
  let count = 0;

  beforeAll(async () => {
    documents = await startLoopbackServer((request, response) => respond(response, `https://client.example.com${request.url}`));
    steward = await startProcess({
      ...place.env,
      ...mainThread.env,
      NODE_OPTIONS: `${mainThread.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,${encodeURIComponent(REDIRECTION)}`,
      DOCUMENTS: documents.url,
      LIMIT_OAUTH_DOCUMENTS_PER_MINUTE: '1000',
    });
    browser = await sessionOf(steward, await steward.signIn(newName()));
    // Loads the authorization server, which is measured below.
    respond = published({ redirect_uris: [REDIRECT] });
    expect(await open()).toBe('303');
  });
  afterAll(async () => {
    mainThread.close();
    await steward.kill('SIGKILL');
    await documents.close();
  });

  /** Each document is another one, because they are cached. */
  async function open(): Promise<string> {
    count += 1;
    const client_id = `https://client.example.com/oauth/metadata.json?${count}`;
    return String((await browser.visit(new Authorization({ client_id }, browser).path)).status);
  }

  const published = (more: object) => saying(JSON.stringify(more).slice(1));

  /** @param members JSON of the document's last members */
  function saying(members: string): typeof respond {
    return (response, client_id) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"client_id":"${client_id}","client_name":"Claude",${members}`);
    };
  }

  const SIZE = 62 * 1024;
  it.each<[string, () => typeof respond]>([
    ['a document with many names', () => published({ redirect_uris: [REDIRECT], ...JSON.parse(members(SIZE)) })],
    ['a document of nested lists', () => saying(`"redirect_uris":${nested(SIZE)}}`)],
    ['many addresses', () => published({ redirect_uris: Array.from({ length: SIZE / 24 }, (_, at) => `https://a${at}.example/`) })],
    ['one address', () => published({ redirect_uris: [`https://a.example/${'%41'.repeat(SIZE / 3)}`] })],
    ['a long name', () => published({ redirect_uris: [REDIRECT], client_name: 'é'.repeat(SIZE / 2) })],
    ['a document of 12 MB', () => published({ redirect_uris: [REDIRECT], more: 'x'.repeat(12_000_000) })],
    ['a document of many pieces', () => inPieces],
  ])('%s', async (kind, make) => {
    respond = make();
    const turn = await mainThread.longestTurn(`client's document: ${kind}`, open);
    expect(['303', '400']).toContain(turn.outcome);
    assertWithin(turn);
  });
});

/** One byte each, and all of them at once. */
function inPieces({ socket }: ServerResponse): void {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket?.end(`${head}${'1\r\n \r\n'.repeat(200_000)}`);
}

describe('anyone may be the first', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await ScriptedModel.start();
  });
  beforeEach(() => model.reset());
  afterAll(() => model.stop());

  it.each<[string, (steward: TestProcess) => Promise<string>]>([
    ['to read the description of HTTP', async (steward) => String((await steward.call('/openapi.json')).status)],
    ['to read the description of the WebSocket', async (steward) => String((await steward.call('/asyncapi.json')).status)],
    ['to read the tools', async (steward) => String((await steward.call('/tools', { token: await steward.signIn() })).status)],
    ['to use the authorization server', async (steward) => String((await steward.call('/oauth/authorize?client_id=none')).status)],
    [
      'to use MCP',
      async (steward) => {
        const body = JSON.stringify({ name: 'client', actions: ['bank.*'] });
        const headers = { 'content-type': 'application/json' };
        const created = await steward.call('/tokens', { token: await steward.signIn(), body, headers });
        return String((await new McpClient(steward, created.body.token).request('tools/list')).status);
      },
    ],
    [
      'to use the assistant',
      async (steward) => {
        const token = await steward.signIn();
        const user = { token, email: '', accountId: '', userId: '', grantId: '' };
        return (await new FrontEnd(steward, user, 'DefaultChatTransport').say('Hi')).error ?? 'answered';
      },
    ],
  ])('%s', async (what, work) => {
    const turn = await MainThread.longestFirstTurn(`first: ${what}`, { ...place.env, MODELS: model.models() }, work);
    expect(['200', '400', 'answered']).toContain(turn.outcome);
    assertWithin(turn);
  });
});
