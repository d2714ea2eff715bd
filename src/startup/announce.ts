import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';

/** Announces that the service is ready: a message for people in development, a log entry in production. */
export function announce(config: Config, steward: { url: string; address: string }, logger: Logger): void {
  const { url, address } = steward;
  const { identity, workspace, bank, databaseUrl, dataDir } = config;
  if (config.environment === 'production') {
    logger.info({ url, address, workspace: workspace !== undefined, bank: bank !== undefined }, 'ready');
    return;
  }
  const row = (name: string, value: string) => `  ${name.padEnd(10)} ${value}`;
  const provider = (name: string, value: unknown, real: string) => row(name, value === 'sandbox' ? 'sandbox (local)' : real);
  const lines = [
    `Steward is ready at ${url}${url === address ? '' : ` (listening at ${address})`}`,
    provider('identity', identity, 'real provider'),
    provider('workspace', workspace, 'real provider'),
    provider('bank', bank, 'real aggregator'),
    row('database', databaseUrl === undefined ? `embedded, in ${dataDir}` : 'Postgres'),
    'Press Ctrl+C to stop. Connected accounts are kept for the next start.',
  ];
  console.log(lines.join('\n'));
}
