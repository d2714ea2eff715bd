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
import type { TracingSettings } from '../config/config.ts';
import { detached } from '../observability/log-context.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { Tracer } from './tracer.ts';

/** The collector's own time to take what is left at the end. */
const LAST_EXPORT_MS = 3_000;

export interface Tracing {
  tracer: Tracer;
  /** Sends what is left, for a few seconds at most. */
  stop(): Promise<void>;
}

/**
 * Sends spans to a collector over OTLP/HTTP. A collector that is away costs nothing but its spans: a bounded queue
 * drops them, and the log has one warning until it is back.
 */
export async function startTracing(settings: TracingSettings, version: string, logger: Logger): Promise<Tracing> {
  const exporter = new TolerantExporter(await openExporter(settings), logger);
  const ours = resourceFromAttributes({ 'service.name': 'steward', 'service.version': version });
  const provider = new TracerProvider({
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say wins.
    resource: defaultResource()
      .merge(ours)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: settings.delayMs, exportTimeoutMillis: settings.timeoutMs })],
  });
  const propagator = settings.takesParents ? new W3CTraceContextPropagator() : undefined;
  return { tracer: new Tracer(provider.getTracer('steward', version), propagator), stop: () => atMost(provider.shutdown()) };
}

async function openExporter({ protocol, url, headers, timeoutMs, compression }: TracingSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  // Its types want an enum of its own with these two values.
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

async function atMost(work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LAST_EXPORT_MS);
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

/** Says once that the collector can't be reached, and once more after it could. */
class TolerantExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #logger: Logger;
  #isFailing = false;

  constructor(exporter: SpanExporter, logger: Logger) {
    this.#exporter = exporter;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    // The request whose end set off the export has no more to do with it than the others.
    detached(() => this.#send(spans, done));
  }

  #send(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const failed = result.code !== ExportResultCode.SUCCESS;
      if (failed && !this.#isFailing)
        this.#logger.warn({ err: reasonOf(result.error) }, 'traces can’t be sent to the collector; they are dropped');
      this.#isFailing = failed;
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

/** The exporter's errors may carry the collector's whole answer. */
function reasonOf(error: Error | undefined) {
  return describeError(
    error === undefined
      ? new Error('no answer')
      : Object.assign(new Error(error.message.slice(0, 200)), { name: error.name, stack: undefined }),
  );
}
