import { json } from 'node:stream/consumers';
import { startLoopbackServer } from '../servers/loopback-server.ts';

/** The toy provider's own server. */
export interface ToyServer {
  url: string;
  /** Issues the tokens of a new grant. */
  issue(): Tokens;
  /** Rejects an access token from now on. */
  expire(accessToken: string): void;
  /** Tokens that were revoked. */
  revoked: string[];
  /** Refresh tokens that were used. */
  refreshed: string[];
  close(): Promise<void>;
}

interface Tokens {
  accessToken: string;
  refreshToken: string;
}

export async function startToyServer(): Promise<ToyServer> {
  const valid = new Set<string>();
  const revoked: string[] = [];
  const refreshed: string[] = [];
  let issued = 0;
  const issue = () => {
    issued += 1;
    const tokens = { accessToken: `toy-access-${issued}`, refreshToken: `toy-refresh-${issued}` };
    for (const token of Object.values(tokens)) valid.add(token);
    return tokens;
  };
  const routes: Record<string, (body: Record<string, string>, bearer: string, about: string | null) => [number, unknown]> = {
    '/token': ({ refresh_token: token = '' }) => {
      // A refresh token is used once (RFC 9700, 4.14.2).
      if (!valid.delete(token)) return [400, { error: 'invalid_grant' }];
      refreshed.push(token);
      const { accessToken, refreshToken } = issue();
      return [200, { access_token: accessToken, refresh_token: refreshToken, expires_in: 3600 }];
    },
    '/revoke': ({ token = '' }) => {
      valid.delete(token);
      revoked.push(token);
      return [200, {}];
    },
    '/notes': (_body, bearer, about) => (valid.has(bearer) ? [200, { notes: [`a note about ${about}`], bearer }] : [401, {}]),
  };
  const { url, close } = await startLoopbackServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://toy');
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {};
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const [status, result] = routes[pathname]?.(body, bearer, searchParams.get('about')) ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  });
  return {
    url,
    issue,
    expire: (accessToken) => void valid.delete(accessToken),
    revoked,
    refreshed,
    close,
  };
}
