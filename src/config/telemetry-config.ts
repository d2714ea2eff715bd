import type { MetricsSettings, TracingSettings } from './config.ts';
import type { Problems } from './config-problems.ts';
import type { Variables } from './environment.ts';

const PATH = '/v1/traces';

export function metrics(env: Variables, problems: Problems): MetricsSettings | undefined {
  if (env.METRICS_PORT === undefined) return undefined;
  if (env.METRICS_PORT === env.PORT && env.PORT !== 0) problems.add('METRICS_PORT', 'must differ from PORT: metrics are not public');
  return { host: env.METRICS_HOST, port: env.METRICS_PORT };
}

/** The standard variables of OpenTelemetry (specification, "Environment Variable Specification" and "OTLP Exporter"). */
export function tracing(env: Variables, problems: Problems): TracingSettings | undefined {
  const url = endpoint(env, problems);
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  return {
    url,
    headers: env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: env.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? env.OTEL_EXPORTER_OTLP_COMPRESSION,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    // Any client can send the header, so it is used only if the operator enables it.
    takesParents: env.OTEL_PROPAGATORS.includes('tracecontext'),
    delayMs: env.OTEL_BSP_SCHEDULE_DELAY,
  };
}

function endpoint(env: Variables, problems: Problems): string | undefined {
  const own = problems.exact('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  if (own !== undefined) return own;
  const base = problems.base('OTEL_EXPORTER_OTLP_ENDPOINT', env.OTEL_EXPORTER_OTLP_ENDPOINT);
  return base === undefined ? undefined : `${base}${PATH}`;
}
