import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricsSettings } from '../config/config.ts';
import type { Services } from '../context.ts';
import type { Logger } from '../observability/logger.ts';
import { type ProcessStates, registerGauges } from './gauges.ts';
import { startMetricsServer } from './metrics-server.ts';
import { Recorder } from './recorder.ts';

/**
 * Serves Prometheus metrics on a separate listener, from a registry of its own.
 *
 * @throws StartError when the address can't be listened on
 */
export async function startMetrics(settings: MetricsSettings, logger: Logger) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recorder = new Recorder(registry);
  const server = await startMetricsServer(settings, registry, logger);
  logger.info({ address: server.address }, 'metrics are served');
  /** Adds the gauges, once the service's parts exist. */
  const addGauges = (services: Services, states: ProcessStates) => registerGauges(registry, services, states);
  return { recorder, address: server.address, addGauges, close: server.close };
}
