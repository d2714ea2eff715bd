import type { Clock } from './clock/clock.ts';
import type { Config } from './config/config.ts';
import type { Services } from './context.ts';
import type { ProcessStates } from './metrics/gauges.ts';
import type { Logger } from './observability/logger.ts';
import { UNMEASURED } from './observability/telemetry.ts';
import { version } from './startup/version.ts';

/**
 * Starts metrics and traces as configured. Their libraries are loaded only if they are used.
 *
 * @throws StartError when the metrics listener cannot be opened
 */
export async function startTelemetry(config: Config, clock: Clock, logger: Logger, resources: AsyncDisposableStack) {
  const metrics = config.metrics && (await (await import('./metrics/start-metrics.ts')).startMetrics(config.metrics, logger));
  if (metrics !== undefined) resources.defer(() => metrics.close());
  const tracing =
    config.tracing && (await (await import('./tracing/start-tracing.ts')).startTracing(config.tracing, version(), clock, logger));
  if (tracing !== undefined) resources.defer(() => tracing.stop());
  if (metrics === undefined && tracing === undefined) return { telemetry: UNMEASURED, show() {} };
  const { Measured } = await import('./metrics/measured.ts');
  return {
    telemetry: new Measured(clock, metrics?.recorder, tracing?.tracer),
    /** Adds the metrics that are read from the context. */
    show: (services: Services, states: ProcessStates) => metrics?.addGauges(services, states),
  };
}
