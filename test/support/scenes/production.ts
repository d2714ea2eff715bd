import { randomBytes } from 'node:crypto';
import { startFaultyDatabase } from '../servers/database-proxy.ts';
import { startIssuer, type TestIssuer } from '../servers/issuer.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { type CallOptions, send } from '../users/request.ts';

export interface ProductionSteward extends TestSteward {
  issuer: TestIssuer;
}

/** The whole service as in production, with an identity issuer of its own and, unless `env` configures them, neither workspace nor bank. */
export async function startProduction(env: Record<string, string> = {}): Promise<ProductionSteward> {
  const issuer = await startIssuer();
  const database = await startFaultyDatabase();
  const steward = await startSteward({
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://steward.example.com',
    SITE_URL: 'https://www.example.com/',
    MASTER_KEYS: `test:${randomBytes(32).toString('base64')}`,
    // There is no load balancer that has to notice the stop.
    LIMIT_STOP_WAIT_MS: '0',
    ...issuer.env,
    ...database.env,
    ...env,
  });
  return {
    ...steward,
    issuer,
    url: steward.context.addresses.selfUrl,
    call: (path: string, options: CallOptions = {}) => send(steward.context.addresses.selfUrl, path, options),
    async stop() {
      await steward.stop();
      await database.stop();
      await issuer.close();
    },
  };
}
