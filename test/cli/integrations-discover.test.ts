import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { discoverTools } from '../../src/cli/discover-tools.ts';
import { hostSandbox, temporaryDirectory } from '../support/emulators/sandbox-host.ts';
import { atTickets } from '../support/emulators/tickets-sign-in.ts';
import { runCli } from '../support/processes/cli.ts';
import { McpSource } from '../support/servers/mcp-source.ts';

const KEY = 'a-key-of-the-operator';
const TOOLS = [
  { name: 'find', title: 'Find\u2028tickets: all', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'close', inputSchema: { type: 'object' } },
];

let source: McpSource;

beforeAll(async () => {
  source = await new McpSource().start();
});

beforeEach(() => {
  source.restart();
  source.pages = { first: { tools: TOOLS } };
});

afterAll(() => source.stop());

const discover = (args: string[], env: Record<string, string> = {}) =>
  runCli('integrations', ['discover', ...args], { NODE_ENV: 'production', ...env });

describe('npm run integrations -- discover', () => {
  it('prints a part of a file for a server that asks for nothing', async () => {
    const { code, stdout, stderr } = await discover([source.address]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`sources:\n  source:\n    url: ${source.address}\n    auth: none\n    label: Source\n`);
    expect(stdout).toContain('      # Find tickets: all\n      find:\n        tool: find\n        effect: read\n        hash: tool.v1:');
    expect(stdout).toContain('      close:\n        tool: close\n        effect: destructive\n');
  });

  it('sends a header whose value is in the environment, and prints it nowhere', async () => {
    source.accepted = new Set([`Bearer ${KEY}`]);
    const { code, stdout, stderr } = await discover([source.address, '--header', 'Authorization=SOME_KEY'], { SOME_KEY: `Bearer ${KEY}` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('    auth: header\n    label: Source\n');
    expect(stdout).not.toContain(KEY);
  });

  it.each([
    [['not an address'], 'not an address is not an address'],
    [['--header', 'X-Key', 'http://127.0.0.1:9/'], '--header takes the name of a header and that of a variable'],
    [['--header', 'X-Key=NO_SUCH', 'http://127.0.0.1:9/'], 'there is no variable NO_SUCH in the environment'],
    [['--header', 'X-Key=DATABASE_URL', 'http://127.0.0.1:9/'], 'there is no variable DATABASE_URL in the environment'],
    [['http://10.1.2.3/mcp'], 'https'],
  ])('rejects %j', async (args, message) => {
    const { code, stdout, stderr } = await discover(args, { DATABASE_URL: 'postgres://x' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('says what is wrong with a server that refuses the header, or is none', async () => {
    source.accepted = new Set();
    const refused = await discover([source.address, '--header', 'Authorization=SOME_KEY'], { SOME_KEY: KEY });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: 'The server refuses the header.\n' });
    const other = await discover([`${source.url}/other`]);
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).not.toContain('at ');
  });
});

describe('a server that wants a sign-in', () => {
  /** Discovers the sandbox's tracker. @param come with what the operator's browser comes back */
  async function signingIn(come: (page: URL) => Promise<URL>, behaviour: object = {}): Promise<string> {
    const directory = temporaryDirectory();
    const host = await hostSandbox(directory.path);
    await host.control('tickets/behaviour', behaviour);
    try {
      return await discoverTools(`${host.url}/sandbox/tickets/mcp`, undefined, (address) => {
        come(new URL(address)).then(
          (back) => fetch(back),
          () => {},
        );
      });
    } finally {
      await host.stop();
      directory.remove();
    }
  }

  it.each([{}, { omit_iss: true }])('is proposed once the operator has signed in in a browser: %j', async (behaviour) => {
    const proposal = await signingIn(atTickets(), behaviour);
    expect(proposal).toMatch(/ {4}auth: oauth\n/);
    expect(proposal).toMatch(/ {6}search_tickets:\n {8}tool: search_tickets\n {8}effect: read\n {8}hash: tool\.v1:/);
  });

  it('is not, when they deny it, or when another answer comes back', async () => {
    await expect(signingIn(atTickets({ decision: 'deny' }))).rejects.toMatchObject({ message: 'The server did not permit it.' });
    const forged = async (page: URL) => new URL(`${page.searchParams.get('redirect_uri')}?code=a&state=b`);
    await expect(signingIn(forged)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('not of this sign-in') });
  });
});
