import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricsSettings } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { registerGauges, type Sources } from './gauges.ts';
import { startMetricsServer } from './metrics-server.ts';
import { Recorder } from './recorder.ts';

export interface Metrics {
  recorder: Recorder;
  /** URL of the scrape endpoint. */
  address: string;
  /** Adds the gauges, once the service's parts exist. */
  addGauges(sources: Sources): void;
  close(): Promise<void>;
}

/**
 * Serves Prometheus metrics on a separate listener, from a registry of its own.
 *
 * @throws StartError when the address can't be listened on
 */
export async function startMetrics(settings: MetricsSettings, logger: Logger): Promise<Metrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recorder = new Recorder(registry);
  const server = await startMetricsServer(settings, registry.contentType, () => registry.metrics(), logger);
  logger.info({ address: server.address }, 'metrics are served');
  return { recorder, address: server.address, addGauges: (sources) => registerGauges(registry, sources), close: () => server.close() };
}
