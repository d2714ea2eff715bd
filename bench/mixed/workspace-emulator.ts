import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A workspace provider on loopback: short-lived access tokens, strict rotation, and an API that takes live tokens only. */
export interface WorkspaceEmulator {
  url: string;
  /** Exchanges that gave tokens. */
  refreshes: number;
  /** Exchanges with a refresh token that is not, or no longer, good, and API calls with an access token that never was. */
  refused: number;
  /** API calls refused because the access token had ended on their way, as it does where the machine is slow. */
  late: number;
  /** API calls answered. */
  calls: number;
  /** Tokens of a new consent; the access token has ended already. */
  consent(): { accessToken: string; refreshToken: string };
  close(): void;
}

/** Life of an access token, seconds: with a minute of traffic every account in use is refreshed a few times. */
const LIFE_SECONDS = 20;
const LABELS = JSON.stringify({
  labels: ['INBOX', 'SENT', 'TRASH', 'Receipts', 'Travel', 'Family'].map((name) => ({ id: name, name, type: 'system' })),
});

export async function startWorkspaceEmulator(): Promise<WorkspaceEmulator> {
  const refreshTokens = new Set<string>();
  /** Access token → its end, milliseconds. */
  const accessTokens = new Map<string, number>();
  const consent = () => {
    const tokens = { accessToken: `access-${randomUUID()}`, refreshToken: `refresh-${randomUUID()}` };
    refreshTokens.add(tokens.refreshToken);
    return tokens;
  };
  const exchange = (form: URLSearchParams) => {
    if (!refreshTokens.delete(form.get('refresh_token') ?? '')) return undefined;
    const { accessToken, refreshToken } = consent();
    accessTokens.set(accessToken, Date.now() + LIFE_SECONDS * 1000);
    return { access_token: accessToken, refresh_token: refreshToken, expires_in: LIFE_SECONDS, token_type: 'Bearer' };
  };
  const endOf = (request: IncomingMessage) => accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
  const answer = async (request: IncomingMessage): Promise<[number, string]> => {
    if (request.method === 'POST') {
      const tokens = exchange(new URLSearchParams(await text(request)));
      if (tokens !== undefined) emulator.refreshes += 1;
      else emulator.refused += 1;
      return tokens === undefined ? [400, '{"error":"invalid_grant"}'] : [200, JSON.stringify(tokens)];
    }
    const end = endOf(request);
    if (end === undefined || end <= Date.now()) {
      if (end === undefined) emulator.refused += 1;
      else emulator.late += 1;
      return [401, '{"error":{"code":401,"status":"UNAUTHENTICATED","message":"invalid credentials"}}'];
    }
    emulator.calls += 1;
    return [200, LABELS];
  };
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const emulator: WorkspaceEmulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refreshes: 0,
    refused: 0,
    late: 0,
    calls: 0,
    consent,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return emulator;
}
