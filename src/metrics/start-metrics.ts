import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricsSettings } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { registerGauges, type Sources } from './gauges.ts';
import { startMetricsServer } from './metrics-server.ts';
import { Recorder } from './recorder.ts';

export interface Metrics {
  recorder: Recorder;
  /** Where they are served. */
  address: string;
  /** Adds the states of now, once there is something to ask. */
  show(sources: Sources): void;
  close(): Promise<void>;
}

/**
 * Prometheus metrics on a listener of their own, with a registry of this service's alone.
 *
 * @throws StartRefused when it can't listen there
 */
export async function startMetrics(settings: MetricsSettings, logger: Logger): Promise<Metrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recorder = new Recorder(registry);
  const server = await startMetricsServer(settings, registry.contentType, () => registry.metrics(), logger);
  logger.info({ address: server.address }, 'metrics are served');
  return { recorder, address: server.address, show: (sources) => registerGauges(registry, sources), close: () => server.close() };
}
