import { type ExportResult, ExportResultCode, parseKeyPairsIntoRecord, W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock/clock.ts';
import type { TracingSettings } from '../config/config.ts';
import { FailureLog } from '../observability/failure-log.ts';
import { detached } from '../observability/log-context.ts';
import type { Logger } from '../observability/logger.ts';
import { withTimeLimit } from '../rate-limit/time-limit.ts';
import { Tracer } from './tracer.ts';

/** Time for the last export at shutdown. */
const LAST_EXPORT_MS = 3_000;

/**
 * Sends spans to a collector over OTLP/HTTP (protobuf). While the collector is unavailable, a bounded queue drops spans and
 * the log has one warning.
 */
export async function startTracing(settings: TracingSettings, version: string, clock: Clock, logger: Logger) {
  const exporter = new TolerantExporter(await openExporter(settings), logger);
  const service = resourceFromAttributes({ 'service.name': 'steward', 'service.version': version });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: defaultResource()
      .merge(service)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: settings.delayMs, exportTimeoutMillis: settings.timeoutMs })],
  });
  const propagator = settings.takesParents ? new W3CTraceContextPropagator() : undefined;
  return {
    tracer: new Tracer(provider.getTracer('steward', version), propagator),
    /** Exports the remaining spans, for a few seconds at most. */
    stop: () =>
      withTimeLimit(
        clock,
        provider.shutdown().catch(() => {}),
        LAST_EXPORT_MS,
        () => {},
      ),
  };
}

async function openExporter({ url, headers, timeoutMs, compression }: TracingSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  // The type expects an enum with these two values.
  const named = { compression: compression as never };
  return new OTLPTraceExporter({ url, headers: parseKeyPairsIntoRecord(headers), timeoutMillis: timeoutMs, ...named });
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = /always_off$/.test(sampler)
    ? new AlwaysOffSampler()
    : /traceidratio$/.test(sampler)
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Logs the first of consecutive failures only. */
class TolerantExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #failures: FailureLog;

  constructor(exporter: SpanExporter, logger: Logger) {
    this.#exporter = exporter;
    this.#failures = new FailureLog(logger, 'traces can’t be sent to the collector; they are dropped');
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    // Detached from the context of the request that happened to trigger the export.
    detached(() =>
      this.#exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) this.#failures.succeeded();
        else this.#failures.failed(reasonOf(error));
        done({ code: ExportResultCode.SUCCESS });
      }),
    );
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

/** Truncated: the exporter's errors may contain the collector's whole response. */
function reasonOf(error: Error | undefined): Error {
  if (error === undefined) return new Error('no response');
  return Object.assign(new Error(error.message.slice(0, 200)), { name: error.name, stack: undefined });
}
