import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A token endpoint on loopback that rotates strictly: each refresh token is good for one exchange. */
export interface TokenProvider {
  url: string;
  /** Exchanges so far, refused ones too. */
  exchanges: number;
  /** Time it takes to answer, milliseconds. */
  delayMs: number;
  /** A refresh token that it will take. */
  issue(): string;
  close(): void;
}

export async function startTokenProvider(): Promise<TokenProvider> {
  const live = new Set<string>();
  const issue = () => {
    const token = `refresh-${randomUUID()}`;
    live.add(token);
    return token;
  };
  const provider: TokenProvider = {
    url: '',
    exchanges: 0,
    delayMs: 0,
    issue,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    provider.exchanges += 1;
    const isLive = live.delete(form.get('refresh_token') ?? '');
    const answer = isLive
      ? { access_token: `access-${randomUUID()}`, refresh_token: issue(), expires_in: 3599, token_type: 'Bearer' }
      : { error: 'invalid_grant' };
    const send = () => response.writeHead(isLive ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    if (provider.delayMs === 0) send();
    else setTimeout(send, provider.delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
