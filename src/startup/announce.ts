import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { PROVIDERS } from '../providers/providers.ts';

/** Those that the operator configures. */
const ANNOUNCED = PROVIDERS.flatMap(({ label, ...descriptor }) => (label === undefined ? [] : [{ ...descriptor, label }]));

/** Announces that the service is ready: a message for people in development, a log entry in production. */
export function announce(config: Config, steward: { url: string; address: string }, logger: Logger): void {
  const { url, address } = steward;
  const { identity, models, databaseUrl, dataDir } = config;
  if (config.environment === 'production') {
    const configured = ANNOUNCED.map(({ name, settings }) => [name, settings(config) !== undefined]);
    logger.info({ url, address, ...Object.fromEntries(configured) }, 'ready');
    return;
  }
  const row = (name: string, value: string) => `  ${name.padEnd(10)} ${value}`;
  const provider = (name: string, value: unknown, real: string) => row(name, value === 'sandbox' ? 'sandbox (local)' : real);
  const lines = [
    `Steward is ready at ${url}${url === address ? '' : ` (listening at ${address})`}`,
    provider('identity', identity, 'real provider'),
    ...ANNOUNCED.map(({ name, label, settings }) => provider(name, settings(config), label)),
    row('assistant', assistantOf(models)),
    row('database', databaseUrl === undefined ? `embedded, in ${dataDir}` : 'Postgres'),
    'Press Ctrl+C to stop. Connected accounts are kept for the next start.',
  ];
  console.log(lines.join('\n'));
}

function assistantOf(models: Config['models']): string {
  if (models === 'sandbox') return 'stand-in for a model (local)';
  return models.length === 0 ? 'off' : models.map(({ name }) => name).join(', ');
}
