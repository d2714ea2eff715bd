import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSIDE } from '../support/browser/inside-paths.ts';
import { programOf } from '../support/processes/debian-packages.ts';
import { Program, programsMissing } from '../support/processes/programs.ts';
import { type ProductionSteward, startProduction } from '../support/scenes/production.ts';
import { freePort } from '../support/servers/free-port.ts';
import { sendRaw } from '../support/servers/raw-http.ts';
import { TcpProxy } from '../support/servers/tcp-proxy.ts';
import { eventually } from '../support/time/eventually.ts';
import { send } from '../support/users/request.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const CANARY = 'canary-token-9c1e';

describe.skipIf(programsMissing('nginx'))('nginx with the configuration of docs/operations.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-nginx-'));
  const log = join(folder, 'access.log');
  let steward: ProductionSteward;
  let nginx: Program;
  /** Between nginx and the service. */
  let line: TcpProxy;
  let url: string;

  beforeAll(async () => {
    steward = await startProduction({ TRUST_PROXY: '1', LIMIT_WAITLIST_PER_MINUTE: '5' });
    const { hostname: host, port: itsPort } = new URL(steward.url);
    line = new TcpProxy({ host, port: Number(itsPort) });
    await line.open();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, 'nginx.conf'), configuration(port));
    // It opens its default log file before it reads the configuration.
    nginx = new Program(programOf('nginx'), ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]);
    await eventually(() => call('/test'));
  });

  afterAll(async () => {
    await nginx?.stop('SIGTERM');
    await line?.close();
    await steward?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (path: string, options = {}) => send(url, path, options);

  /** The configuration of the document, without TLS, on loopback. */
  function configuration(port: number): string {
    const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(DOCUMENT) ?? [];
    const places = {
      'listen 443 ssl;': `listen 127.0.0.1:${port};`,
      '/var/log/nginx/steward.log': log,
      '/var/log/nginx/steward-error.log': join(folder, 'error.log'),
      'http://127.0.0.1:8081': `http://127.0.0.1:${line.port}`,
    };
    for (const from of Object.keys(places)) if (!block.includes(from)) throw new Error(`the block has no “${from}”`);
    const own = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), block);
    return `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${own}\n}\n`;
  }

  it.each(INSIDE)('does not expose %s', async (target) => {
    const { runs } = steward.context.integrations;
    const { status } = await sendRaw(url, [`GET ${target} HTTP/1.1`, 'Connection: close']);
    expect([400, 403, 404]).toContain(status);
    expect(steward.context.integrations.runs).toBe(runs);
  });

  it('forwards requests and WebSockets, and logs neither query nor token', async () => {
    expect((await call(`/test?token=${CANARY}`)).body).toMatchObject({ status: 'success' });
    await call(`/auth/workspace/login?token=${CANARY}`, { headers: { referer: `https://a.example/?${CANARY}`, authorization: CANARY } });
    const socket = await SocketClient.signedIn(url, await steward.issuer.sign('ada'));
    await socket.close();
    const written = await eventually(() => {
      const lines = readFileSync(log, 'utf8');
      return lines.includes(' GET /ws ') && lines;
    });
    expect(written).toContain(' GET /auth/workspace/login ');
    expect(written).not.toContain(CANARY);
  });

  it('logs no query when the service is down', async () => {
    await line.cut();
    expect((await call(`/auth/workspace/callback?code=${CANARY}`)).status).toBe(502);
    await line.open();
    await eventually(async () => (await call('/test')).status === 200);
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(CANARY);
    expect(nginx.output).not.toContain(CANARY);
  });

  it('sets the client’s address and ignores the client’s own X-Forwarded-For', async () => {
    const post = (claimed: string) => call('/waitlist', { form: { email: 'ana@example.com' }, headers: { 'x-forwarded-for': claimed } });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => post(`10.0.0.${index}`)));
    expect(responses.map(({ status }) => status)).toContain(429);
  });
});
