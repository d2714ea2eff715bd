import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RotatingTokens } from '../test/support/emulators/rotating-tokens.ts';
import { startLoopbackServer } from '../test/support/servers/loopback-server.ts';
import { respond } from '../test/support/servers/scripted-server.ts';

/** A token endpoint on loopback that rotates strictly: each refresh token is valid for one exchange. */
export interface TokenProvider {
  url: string;
  /** Exchanges so far, rejected ones too. */
  exchanges: number;
  /** Time that a response takes, milliseconds. */
  delayMs: number;
  /** Issues a valid refresh token. */
  issue(): string;
  close(): Promise<void>;
}

export async function startTokenProvider(): Promise<TokenProvider> {
  const tokens = new RotatingTokens();
  tokens.after = () => (provider.delayMs === 0 ? undefined : sleep(provider.delayMs));
  const { url, close } = await startLoopbackServer(async (request, response) => {
    provider.exchanges += 1;
    respond(response, await tokens.respond(new URLSearchParams(await text(request))));
  });
  const provider: TokenProvider = {
    url,
    exchanges: 0,
    delayMs: 0,
    issue() {
      const token = `refresh-${randomUUID()}`;
      tokens.add(token);
      return token;
    },
    close,
  };
  return provider;
}
