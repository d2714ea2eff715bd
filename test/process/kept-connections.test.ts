import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../support/processes/debian-packages.ts';
import { Program, programsMissing } from '../support/processes/programs.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';
import { send } from '../support/users/request.ts';

/** Requests of each kind, and how many of a kind are under way at once. */
const REQUESTS = 32;
const AT_ONCE = 4;

/** A visitor's requests that are rejected by their headers: the service need not wait for anything first. */
const REJECTED = [
  { line: 'POST /nothing HTTP/1.1', status: 404 },
  { line: 'POST /mcp HTTP/1.1', status: 401 },
  { line: 'POST /mcp HTTP/1.1\r\nAuthorization: Bearer x', status: 401 },
  { line: 'POST /agents/mail.search HTTP/1.1\r\nAuthorization: Bearer x', status: 401 },
];

const LARGE = 'x'.repeat(300_000);
const inChunks = (body: string, size: number) =>
  (body.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).concat('0\r\n\r\n');

/** Its bodies: the header that announces one, and its pieces. */
const BODIES: [string, string, string[]][] = [
  ['a small body', 'Content-Length: 5', ['hello']],
  ['a body of 60 kB', 'Content-Length: 60000', [LARGE.slice(0, 60_000)]],
  ['a body of 300 kB', 'Content-Length: 300000', [LARGE]],
  ['a small body in chunks', 'Transfer-Encoding: chunked', inChunks('hello', 2)],
  ['a body of 300 kB in chunks', 'Transfer-Encoding: chunked', inChunks(LARGE, 16_000)],
];

describe.skipIf(programsMissing('nginx'))('behind nginx that keeps its connections to the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-kept-'));
  let steward: TestSteward;
  let nginx: Program;
  let token: string;
  /** Where nginx reads a body whole before it forwards it, and where it forwards what it has. */
  const urls = { on: '', off: '' };

  beforeAll(async () => {
    steward = await startSteward();
    token = await steward.signIn('ana');
    const servers: string[] = [];
    for (const buffering of ['on', 'off'] as const) {
      const port = await freePort();
      urls[buffering] = `http://127.0.0.1:${port}`;
      servers.push(serverBlock(port, buffering));
    }
    writeFileSync(join(folder, 'nginx.conf'), configuration(new URL(steward.url).host, servers));
    nginx = new Program(programOf('nginx'), ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]);
    await eventually(() => send(urls.off, '/test'));
  });

  afterAll(async () => {
    await nginx?.stop('SIGTERM');
    await steward?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Few connections and one worker, so that the user's next call takes the one that the visitor's request used. */
  function configuration(host: string, servers: string[]): string {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
    return `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; worker_processes 1; events {}
http {
  access_log off;
  ${temporary.join(' ')}
  upstream kept { server ${host}; keepalive 2; }
  ${servers.join('\n  ')}
}
`;
  }

  function serverBlock(port: number, buffering: string): string {
    return `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://kept;
      proxy_http_version 1.1;
      proxy_set_header Host ${new URL(steward.url).host};
      proxy_set_header Connection "";
      proxy_request_buffering ${buffering};
      # As for requests that may not be sent twice.
      proxy_next_upstream off;
    }
  }`;
  }

  /** One call of the user. @returns its status */
  async function call(url: string): Promise<string> {
    const { status } = await send(url, '/auth/workspace/accounts', { token });
    return String(status);
  }

  describe.each(['on', 'off'] as const)('with proxy_request_buffering %s', (buffering) => {
    it.each(BODIES)('a visitor’s rejected requests with %s and a user’s calls all get their responses', async (_body, header, pieces) => {
      const url = urls[buffering];
      const visits = REJECTED.map(({ line }) => repeated(() => visit(url, `${line}\r\n${header}`, pieces)));
      const [calls, ...visited] = await Promise.all([repeated(() => call(url)), ...visits]);
      const expected = [200, ...REJECTED.map(({ status }) => status)].map((status) => ({ [status]: REQUESTS }));
      expect([calls, ...visited].map(counted)).toEqual(expected);
    });
  });
});

/** Runs something {@link REQUESTS} times, some at once. */
async function repeated(run: () => Promise<string>): Promise<string[]> {
  const results: string[] = [];
  while (results.length < REQUESTS) results.push(...(await Promise.all(Array.from({ length: AT_ONCE }, run))));
  return results;
}

/** How often each response came. */
function counted(responses: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const response of responses) counts[response] = (counts[response] ?? 0) + 1;
  return counts;
}

/** Sends a request in pieces. @returns the status of the response, with a note if it is nginx's own */
async function visit(url: string, head: string, pieces: string[]): Promise<string> {
  const { hostname, port, host } = new URL(url);
  // nginx closes it early as well.
  const socket = connect(Number(port), hostname)
    .setNoDelay(true)
    .on('error', () => {});
  const response = text(socket);
  socket.write(`${head}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const piece of pieces) {
    await new Promise(setImmediate);
    socket.write(piece);
  }
  const received = await response;
  const [, status = 'none'] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? [];
  return /^x-request-id: /im.test(received) ? status : `${status}, not the service’s`;
}
