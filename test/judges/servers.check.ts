import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../support/inputs/own-integrations.ts';
import { runCli } from '../support/processes/cli.ts';
import { type ForeignName, type ForeignServer, startForeign } from './support/foreign-servers.ts';
import { SourceDesk } from './support/source-desk.ts';

const INTERNAL = { INTERNAL_HOSTS: 'localhost,127.0.0.1' };

interface Use {
  name: ForeignName;
  tool: string;
  /** Right arguments, with what the result contains. */
  right(server: ForeignServer): { input: object; result: string };
  /** Arguments that the tool's schema refuses, and where. */
  wrong: { input: object; path: string };
}

/** Tools that their servers call reading. */
const USES: Use[] = [
  {
    name: 'everything',
    tool: 'get-sum',
    right: () => ({ input: { a: 19, b: 23 }, result: '42' }),
    wrong: { input: { a: 'many', b: 23 }, path: 'a' },
  },
  {
    name: 'playwright',
    tool: 'browser_snapshot',
    right: () => ({ input: {}, result: 'about:blank' }),
    wrong: { input: { depth: 'deep' }, path: 'depth' },
  },
  {
    name: 'memory',
    tool: 'search_nodes',
    right: () => ({ input: { query: 'Ana' }, result: 'entities' }),
    wrong: { input: { query: 5 }, path: 'query' },
  },
  {
    name: 'filesystem',
    tool: 'read_text_file',
    right: ({ folder }) => ({ input: { path: `${folder}/note.txt` }, result: 'The key is under the mat.' }),
    wrong: { input: {}, path: 'path' },
  },
];

let desk: SourceDesk;
let server: ForeignServer | undefined;

beforeAll(async () => {
  desk = await SourceDesk.start();
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(() => desk?.stop());

describe('a server of others as a source', () => {
  it.each(USES)('$name is proposed for the integrations file', async ({ name, tool }) => {
    server = await startForeign(name);
    const proposed = await runCli('integrations', ['discover', server.url], INTERNAL);
    expect(proposed).toMatchObject({ code: 0, stderr: '' });
    expect(proposed.stdout).toContain(`tool: ${tool}\n        effect: read\n`);
    const file = ownIntegrations(`version: 1\n${proposed.stdout}`);
    expect(await runCli('integrations', ['check', file], INTERNAL)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(USES)('$name is connected, listed, called and disconnected', async ({ name, tool, right, wrong }) => {
    server = await startForeign(name);
    const user = await desk.offer({ url: server.url, auth: 'none', tools: [tool, 'no_such_tool'] });
    expect(await user.connect()).toBe('connected');
    expect(await user.tools()).toEqual({ [tool]: 'allowed', no_such_tool: 'gone' });

    const { input, result } = right(server);
    const answer = await user.call(tool, input);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(JSON.stringify(answer.body)).toContain(result);

    const refused = await user.call(tool, wrong.input);
    expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body.message).toContain(wrong.path);
    expect(refused.body.details.schema).toMatchObject({ type: 'object', properties: { [wrong.path]: {} } });

    await user.disconnect();
    const gone = await user.call(tool, input);
    expect(gone.status, JSON.stringify(gone.body)).not.toBe(200);
  });
});
