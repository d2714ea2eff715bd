import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { ToolScene, type ToolUser } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { callAction } from '../../support/users/agents.ts';

const FIND: ToolDefinition = { name: 'find', inputSchema: { type: 'object' } };
const CHANGED: ToolDefinition = { ...FIND, description: 'Finds more.' };
/** Counts in the database are good for so long. */
const CACHE_MS = 30_000;

let server: McpSource;
let scene: ToolScene;
let user: ToolUser;

const fileAt = (url: string, hash?: string) =>
  sourceFile(`{ url: "${url}", auth: none, label: Tickets }`, `find: { tool: find, effect: read${hash ? `, hash: "${hash}"` : ''} }`);
const scrape = () => Scrape.of(metricsUrl(scene.steward));
const call = () =>
  callAction(scene.steward, 'tickets.find', {}, { token: user.token }).then(
    () => 'ok',
    ({ code }) => code,
  );

beforeAll(async () => {
  server = await new McpSource().start();
  scene = await ToolScene.real(fileAt(server.address), { METRICS_PORT: '0' });
});

beforeEach(async () => {
  server.restart();
  scene.listed.set('tickets', [FIND]);
  await scene.reload(fileAt(server.address));
  await scene.steward.sql('delete from source_accounts');
  user = await scene.user('tickets');
});

afterAll(async () => {
  await scene.steward.stop();
  await server.stop();
});

describe('requests to a source', () => {
  const requests = async (outcome: string) =>
    (await scrape()).value(`steward_provider_request_duration_seconds_count{provider="mcp",source="tickets",outcome="${outcome}"}`) ?? 0;

  it('are counted with its name, by their outcome', async () => {
    const before = await requests('ok');
    expect(await call()).toBe('ok');
    expect(await requests('ok')).toBeGreaterThan(before);
    server.answer = (response) => response.writeHead(503).end();
    expect(await call()).toBe('provider_error');
    expect(await requests('provider_error')).toBe(1);
  });

  it.each([
    ['an HTTP status of 403', (response) => response.writeHead(403).end()],
    [
      'an error of the protocol',
      (response, { body }) => response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, error: { code: -32_602, message: 'no' } })),
    ],
    ['a credential that ends', (response) => response.writeHead(401).end()],
  ] as [string, NonNullable<McpSource['answer']>][])('that it refuses are no failures of it: %s', async (_what, answer) => {
    const [refused, failed, internal] = [await requests('refused'), await requests('provider_error'), await requests('internal')];
    server.answer = (response, asked) => {
      response.setHeader('content-type', 'application/json');
      answer(response, asked);
    };
    expect(await call()).not.toBe('ok');
    expect(await requests('refused')).toBe(refused + 1);
    expect([await requests('provider_error'), await requests('internal')]).toEqual([failed, internal]);
  });
});

describe('the circuits of a source', () => {
  const open = async () => (await scrape()).value('steward_source_circuits_open{source="tickets"}');

  it('are counted while nothing is sent, by connection', async () => {
    expect(await open()).toBe(0);
    server.answer = (response) => response.writeHead(503).end();
    for (let count = 0; count < 5; count += 1) await call();
    expect(await call()).toBe('unavailable');
    expect(await open()).toBe(1);
    await scene.steward.clock.advance(30_000);
    expect(await open()).toBe(0);
  });
});

describe('tools that are held', () => {
  const listAgain = async (...definitions: ToolDefinition[]) => {
    scene.listed.set('tickets', definitions);
    await scene.list(user, 'tickets', user.accounts.tickets ?? '');
  };
  /** Held tools by who decides. */
  const held = async () => {
    await scene.steward.clock.advance(CACHE_MS);
    const seen = await scrape();
    return ['user', 'operator'].map((by) => seen.value(`steward_source_tools_held{source="tickets",decided_by="${by}"}`));
  };
  const decide = (decision: 'allow' | 'block', definition: ToolDefinition) =>
    scene.steward.call(`/auth/sources/accounts/${user.accounts.tickets}/tools/find`, {
      token: user.token,
      form: { decision, hash: toolHash(definition) },
    });

  it('are counted for each connection, until their user decides', async () => {
    expect(await held()).toEqual([undefined, undefined]);
    await listAgain(CHANGED);
    const other = await scene.connect(user, 'tickets', 'Another');
    await scene.list(user, 'tickets', other);
    expect(await held()).toEqual([1, undefined]);
    expect((await decide('allow', CHANGED)).body).toEqual({ success: true });
    expect(await held()).toEqual([undefined, undefined]);
    await listAgain(FIND);
    expect(await held()).toEqual([1, undefined]);
    await decide('block', FIND);
    expect(await held()).toEqual([undefined, undefined]);
  });

  it('are the operator’s where the file pins another definition, also if users have approved or blocked what is listed', async () => {
    await decide('block', FIND);
    await scene.reload(fileAt(server.address, toolHash(CHANGED)));
    expect(await held()).toEqual([undefined, 1]);
    await listAgain(CHANGED);
    expect(await held()).toEqual([undefined, undefined]);
    await listAgain(FIND);
    expect(await held()).toEqual([undefined, 1]);
    await scene.reload(fileAt(server.address, toolHash(FIND)));
    expect(await held()).toEqual([undefined, undefined]);
  });

  it('are none where the file pins what is listed, also if users have approved something else', async () => {
    await listAgain(CHANGED);
    expect(await held()).toEqual([1, undefined]);
    await scene.reload(fileAt(server.address, toolHash(CHANGED)));
    expect(await held()).toEqual([undefined, undefined]);
  });

  it.each([
    ['of a tool that the file lists no more', () => scene.reload(fileAt(server.address).replace('tool: find', 'tool: other'))],
    ['of one that its server lists no more', () => listAgain()],
    ['of a server that has another address by now', () => scene.reload(fileAt('http://127.0.0.1:9/mcp'))],
    ['of a connection that can’t be read', () => scene.steward.sql('update source_accounts set list_failures = 3')],
    ['of a connection that its user has to renew', () => scene.steward.sql(`update grants set status = 'reauth_required'`)],
    [
      'of a connection that has ended',
      () => scene.steward.call(`/auth/sources/accounts/${user.accounts.tickets}`, { method: 'DELETE', token: user.token }),
    ],
  ])('are not counted: %s', async (_what, change) => {
    await listAgain(CHANGED);
    expect(await held()).toEqual([1, undefined]);
    await change();
    expect(await held()).toEqual([undefined, undefined]);
  });
});
