import { describe, expect, it } from 'vitest';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';

const URL_ = 'https://mcp.example.com/mcp';
const SOURCE = `{ url: ${URL_}, label: Tickets }`;
const READ = 'search: { tool: search_tickets, effect: read }';
const HASH = `tool.v1:${'0a'.repeat(32)}`;
const SECRET = 'a-secret-of-the-operator';

function parse(source: string, secrets: Record<string, string> = {}) {
  const format = createIntegrationsFormat(PROVIDERS, (name) => (name === 'DATABASE_URL' ? 'taken' : { value: secrets[name] }));
  return parseIntegrations(source, 'integrations.yaml', format);
}

const problems = (source: string, ...actions: string[]) => problemsOf(sourceFile(source, ...actions));
const revision = async (source: string, action = READ) => (await parse(sourceFile(source, action))).actions.get('tickets.search')?.revision;

describe('sources of integrations.yaml', () => {
  it('have usual values for what is left out', async () => {
    const { sources, agents, actions } = await parse(sourceFile(SOURCE, READ));
    expect([...sources]).toEqual([['tickets', { name: 'tickets', url: URL_, auth: 'oauth', trust: 'third_party', label: 'Tickets' }]]);
    expect(agents.get('tickets')).toMatchObject({ provider: 'mcp', source: 'tickets', needs: [] });
    expect(actions.get('tickets.search')).toMatchObject({
      tool: 'tickets_search',
      description: 'Tickets: search_tickets',
      capBytes: 256_000,
      policy: { approval: 'destructive', timeoutMs: 30_000 },
      action: {
        provider: 'mcp',
        effect: 'read',
        mayExpose: true,
        pinned: { source: 'tickets', tool: 'search_tickets', fixed: {}, isDescribed: false, isOwn: false },
      },
    });
  });

  it('say which header carries the key', async () => {
    const headerOf = async (rest: string) =>
      (await parse(sourceFile(`{ url: ${URL_}, label: T, auth: header${rest} }`, READ))).sources.get('tickets');
    expect(await headerOf('')).toMatchObject({ header: 'Authorization', prefix: 'Bearer ' });
    expect(await headerOf(', header: X-Key')).toMatchObject({ header: 'X-Key', prefix: '' });
    expect(await headerOf(', header: X-Key, prefix: "Token "')).toMatchObject({ header: 'X-Key', prefix: 'Token ' });
  });

  it('read a client’s secret from the environment, and never show it', async () => {
    const source = `{ url: ${URL_}, label: T, client_id: me, client_secret_variable: TICKETS_SECRET, scopes: [read, write] }`;
    const catalog = await parse(sourceFile(source, READ), { TICKETS_SECRET: SECRET });
    const settings = catalog.sources.get('tickets');
    expect(settings).toMatchObject({ clientId: 'me', scopes: ['read', 'write'] });
    expect(settings?.clientSecret).toBe(SECRET);
    expect(JSON.stringify([settings, { ...settings }, catalog.revision])).not.toContain(SECRET);
  });

  it('may stand there without an agent', async () => {
    const { sources, agents } = await parse(`version: 1\nsources:\n  tickets: ${SOURCE}\nagents: {}\n`);
    expect([sources.size, agents.size]).toEqual([1, 0]);
  });

  it('are the sandbox’s own with the address sandbox', async () => {
    expect(await problems('{ url: sandbox, label: Tickets }', READ)).toEqual([]);
  });

  it.each([
    ['a file', 'url: file:///etc/passwd', 'must be an address that begins with https://, or sandbox'],
    ['no address', 'url: tickets', 'must be an address that begins with https://, or sandbox'],
    ['a password', 'url: https://me:word@mcp.example.com/', 'must not hold a user or a password'],
    ['a fragment', 'url: "https://mcp.example.com/#x"', 'must not have a fragment (#…)'],
    ['a key', 'url: https://mcp.example.com/?api_key=1', 'must not hold a secret, as api_key seems to be: use auth: header'],
  ])('reject an address with %s', async (_name, url, message) => {
    expect(await problems(`{ ${url}, label: T }`, READ)).toEqual([`3:19 sources.tickets.url: ${message}`]);
  });

  it.each([
    ['header: X-Key', 'header: is for auth: header; this source has auth: oauth'],
    ['auth: none, scopes: [a]', 'scopes: is for auth: oauth; this source has auth: none'],
    ['auth: header, header: Host', 'header: is a header that Steward sets itself'],
    ['auth: header, header: Mcp-Session-Id', 'header: is a header that Steward sets itself'],
    ['auth: header, header: "a b"', 'header: must be the name of a header'],
    ['auth: bearer', 'auth: must be oauth, header or none'],
    ['client_secret_variable: SOME_SECRET', 'client_secret_variable: needs a client_id beside it'],
    [
      'client_id: a, client_secret_variable: lower',
      'client_secret_variable: must be the name of a variable of the environment, such as TICKETS_CLIENT_SECRET',
    ],
    ['command: npx', 'command: unknown key'],
    ['trust: full', 'trust: must be third_party or operator'],
    ['scope: [a]', 'scope: unknown key; did you mean scopes?'],
  ])('reject %s', async (keys, message) => {
    const [first] = await problems(`{ url: ${URL_}, label: T, ${keys} }`, READ);
    expect(first).toMatch(/^3:\d+ sources\.tickets\./);
    expect(first?.replace(/^\S+ sources\.tickets\./, '')).toBe(message);
  });

  it.each([
    ['TICKETS_SECRET', 'there is no variable of this name in the environment, or it is empty'],
    ['DATABASE_URL', 'is a variable of Steward itself: use one of its own'],
  ])('reject the variable %s', async (variable, message) => {
    const source = `{ url: ${URL_}, label: T, client_id: me, client_secret_variable: ${variable} }`;
    await expect(parse(sourceFile(source, READ))).rejects.toThrow(`sources.tickets.client_secret_variable: ${message}`);
  });

  it('need a label each, of their own', async () => {
    expect(await problems(`{ url: ${URL_} }`, READ)).toEqual([expect.stringContaining('sources.tickets.label: is missing')]);
    const two = `version: 1\nsources:\n  one: ${SOURCE}\n  two: { url: ${URL_}, label: tickets }\nagents: {}\n`;
    expect(await problemsOf(two)).toEqual([expect.stringMatching(/^4:\d+ sources\.two\.label: is also the label of one/)]);
  });

  it('have names of their own', async () => {
    const two = `version: 1\nsources:\n  one: ${SOURCE}\n  one: { url: ${URL_}, label: Other }\nagents: {}\n`;
    expect(await problemsOf(two)).toEqual(['4:3 : duplicated mapping key']);
  });

  it('can’t be called as a part of an address is', async () => {
    expect(await problemsOf(`version: 1\nsources:\n  callback: ${SOURCE}\nagents: {}\n`)).toEqual([
      expect.stringMatching(/^3:3 sources\.callback: callback can’t be/),
    ]);
  });
});

describe('an agent of a source', () => {
  it('names one that exists', async () => {
    const file = sourceFile(SOURCE, READ);
    expect(await problemsOf(file.replace('source: tickets', 'source: ticket'))).toEqual([
      '7:13 agents.tickets.source: there is no source of this name; did you mean tickets?',
    ]);
    expect(await problemsOf(file.replace(`sources:\n  tickets: ${SOURCE}\n`, ''))).toEqual([
      '5:13 agents.tickets.source: there is no source of this name: the file has no sources',
    ]);
    expect(await problemsOf(file.replace('    source: tickets\n', ''))).toEqual(['5:3 agents.tickets.source: is missing']);
  });

  it('is checked also where its source is invalid', async () => {
    const found = await problems(
      '{ url: https://a.example/, label: T, auth: x }',
      'search: { tool: a, effect: reed }',
      'find: { tool: a, effect: read, cap: 2MB }',
    );
    expect(found).toEqual([
      expect.stringContaining('sources.tickets.auth: must be oauth'),
      expect.stringContaining('actions.search.effect: must be read, write or destructive'),
      expect.stringContaining('actions.find.cap: exceeds this action’s maximum of 1000kB'),
    ]);
  });

  it('has the actions that it lists, and no others', async () => {
    const file = sourceFile(SOURCE, READ).replace(`    actions:\n      ${READ}\n`, '');
    expect(await problemsOf(file)).toEqual(['5:3 agents.tickets.actions: is missing']);
  });

  it.each([
    ['search: { use: mail.search }', ['effect: must be read, write or destructive', 'tool: is missing', 'use: unknown key here']],
    ['search: { tool: a }', ['effect: must be read, write or destructive']],
    ['search: { tool: a, effect: read, hash: abc }', [expect.stringMatching(/^hash: must be tool\.v1: and 64/)]],
    ['search: { tool: a, effect: read, results: own }', ['results: own needs trust: operator in the source']],
    [
      'search: { tool: a, effect: destructive, policy: { approval: never } }',
      [expect.stringMatching(/^policy\.approval: a destructive action/)],
    ],
    ['search: { tool: a, effect: read, policy: { timeout: 31s } }', ['policy.timeout: exceeds this action’s maximum of 30s']],
    ['search: { tool: a, effect: read, with: { q: $input.q } }', [expect.stringMatching(/^with\.q: must be a fixed value/)]],
    ['search: { tool: a, effect: read, with: { q: [1, .inf] } }', ['with.q.1: must be a value of JSON']],
    [
      'search: { tool: a, effect: write, dispatches: do }',
      [expect.stringMatching(/^effect: a dispatcher may do anything: set destructive/)],
    ],
    [
      'search: { tool: a, effect: destructive, dispatches: do, policy: { approval: destructive } }',
      [expect.stringMatching(/^policy\.approval: each call of a dispatcher asks: set always, or fix do in with/)],
    ],
  ])('rejects %s', async (action, messages) => {
    const found = await problems(SOURCE, action);
    expect(found.map((line) => line.replace(/^10:\d+ agents\.tickets\.actions\.search\./, '')).sort()).toEqual(messages);
  });

  it('makes several actions of a tool that dispatches, and asks about the rest', async () => {
    const { actions } = await parse(
      sourceFile(
        SOURCE,
        'run: { tool: do, effect: destructive, dispatches: name }',
        'list: { tool: do, effect: read, dispatches: name, with: { name: list, limits: { most: 5, tags: [a, null] } } }',
      ),
    );
    expect(actions.get('tickets.run')?.policy.approval).toBe('always');
    expect(actions.get('tickets.list')).toMatchObject({
      policy: { approval: 'destructive' },
      action: { effect: 'read', pinned: { tool: 'do', fixed: { name: 'list', limits: { most: 5, tags: ['a', null] } } } },
    });
  });

  it('pins a tool alike in all of its actions', async () => {
    const pin = (hash: string) => `{ tool: do, effect: read, hash: "${hash}" }`;
    expect(await problems(SOURCE, `a: ${pin(HASH)}`, `b: ${pin(HASH)}`)).toEqual([]);
    expect(await problems(SOURCE, `a: ${pin(HASH)}`, 'b: { tool: do, effect: read }')).toEqual([
      '11:7 agents.tickets.actions.b: has another hash than the action above that names the same tool: do',
    ]);
  });

  it('may not have a tool’s name that another agent has', async () => {
    const file = `${sourceFile(SOURCE, 'a_b: { tool: x, effect: read }')}  tickets_a: { provider: mcp, source: tickets, description: D., actions: { b: { tool: x, effect: read } } }\n`;
    expect(await problemsOf(file)).toEqual([
      expect.stringContaining('agents.tickets_a.actions.b: is tickets_a_b as a model’s tool, as tickets.a_b is'),
    ]);
  });

  it('has revisions that change with what is called and where, not with words', async () => {
    const usual = await revision(SOURCE);
    expect(await revision(SOURCE.replace('label: Tickets', 'label: Other'))).toBe(usual);
    expect(await revision(SOURCE, 'search: { tool: search_tickets, effect: read, description: Finds. }')).toBe(usual);
    const others = await Promise.all([
      revision(SOURCE.replace('mcp.example', 'other.example')),
      revision(SOURCE.replace('}', ', trust: operator }')),
      ...['tool: find', 'with: { a: 1 }', `hash: "${HASH}"`, 'dispatches: a, with: { a: 1 }', 'effect: write'].map((key) => {
        const [name = ''] = key.split(':');
        const rest = ['tool: search_tickets', 'effect: read'].filter((one) => !one.startsWith(`${name}:`));
        return revision(SOURCE, `search: { ${[...rest, key].join(', ')} }`);
      }),
    ]);
    expect(new Set([usual, ...others]).size).toBe(others.length + 1);
  });
});
