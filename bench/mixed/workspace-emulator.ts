import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A workspace provider on loopback: short-lived access tokens, strict rotation, and an API that accepts valid tokens only. */
export interface WorkspaceEmulator {
  url: string;
  /** Successful exchanges. */
  refreshes: number;
  /** Exchanges with an invalid refresh token, and API calls with an unknown access token. */
  refused: number;
  /** API calls rejected because the access token expired on their way, as on a slow machine. */
  late: number;
  /** API calls with a response. */
  calls: number;
  /** Tokens of a new consent. @param lifeSeconds of the access token; default: it has expired already */
  consent(lifeSeconds?: number): { accessToken: string; refreshToken: string };
  close(): void;
}

/** Lifetime of an access token, at least: with a minute of traffic every account in use is refreshed a few times. */
const LIFE_SECONDS = 20;
const LABELS = JSON.stringify({
  labels: ['INBOX', 'SENT', 'TRASH', 'Receipts', 'Travel', 'Family'].map((name) => ({ id: name, name, type: 'system' })),
});

/**
 * Lifetime of an access token, seconds, at most twice the shortest: users have connected at different times, and without
 * this all their tokens would be refreshed at once, again and again.
 */
export function spreadLife(): number {
  return Math.round(LIFE_SECONDS * (1 + Math.random()));
}

export async function startWorkspaceEmulator(): Promise<WorkspaceEmulator> {
  const refreshTokens = new Set<string>();
  /** Access token → its expiry, milliseconds. */
  const accessTokens = new Map<string, number>();
  const consent = (lifeSeconds = 0) => {
    const tokens = { accessToken: `access-${randomUUID()}`, refreshToken: `refresh-${randomUUID()}` };
    refreshTokens.add(tokens.refreshToken);
    accessTokens.set(tokens.accessToken, Date.now() + lifeSeconds * 1000);
    return tokens;
  };
  const exchange = (form: URLSearchParams) => {
    if (!refreshTokens.delete(form.get('refresh_token') ?? '')) return undefined;
    const life = spreadLife();
    const { accessToken, refreshToken } = consent(life);
    return { access_token: accessToken, refresh_token: refreshToken, expires_in: life, token_type: 'Bearer' };
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
