import { Counter as PromCounter, type Registry } from 'prom-client';
import type { Counter, RunCause, Step } from '../observability/telemetry.ts';
import { PROVIDERS } from '../providers/providers.ts';
import { BoundedHistogram } from './bounded-histogram.ts';

const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const SLOW = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const LATE = [1, 5, 10, 30, 60, 300, 900, 3_600, 12 * 3_600];
const METHODS = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', 'PATCH']);
const REFRESH_OUTCOMES = ['renewed', 'ended', 'misconfigured', 'failed'];
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'];

interface Description {
  name: string;
  help: string;
  label: string;
  /** Series that start at 0, since Prometheus computes an increase from the first value that it scrapes. */
  initial?: string[];
}

const COUNTERS: Record<Counter, Description> = {
  error: { name: 'steward_http_errors_total', help: 'Error responses, by code', label: 'code' },
  approval: { name: 'steward_approvals_total', help: 'Approvals requested, approved and denied', label: 'outcome' },
  revocation: {
    name: 'steward_revocations_total',
    help: 'Attempts to revoke a token at its provider, by outcome',
    label: 'outcome',
    initial: ['confirmed', 'failed', 'dropped', 'unconfirmed'],
  },
  webhook: {
    name: 'steward_webhooks_total',
    help: 'Webhooks of the bank aggregator, by outcome',
    label: 'outcome',
    initial: ['stored', 'invalid_token', 'unavailable'],
  },
  reload: {
    name: 'steward_integrations_reloads_total',
    help: 'Reloads of the integrations file, by outcome',
    label: 'outcome',
    initial: ['ok', 'invalid'],
  },
  refusal: {
    name: 'steward_refused_total',
    help: 'Requests that a saturated process refused at once, by what was saturated',
    label: 'reason',
    initial: ['event_loop', 'database'],
  },
  socketEnd: { name: 'steward_sockets_closed_total', help: 'WebSockets closed, by close code', label: 'code' },
  socketRefusal: { name: 'steward_sockets_refused_total', help: 'WebSocket upgrades rejected, by code', label: 'code' },
};

/** Counts requests, steps and events until they are scraped. */
export class Recorder {
  readonly #requests: BoundedHistogram;
  readonly #steps: Record<Step['kind'], BoundedHistogram>;
  readonly #runs: BoundedHistogram;
  readonly #counters: Record<Counter, PromCounter>;

  constructor(registry: Registry) {
    const histogram = (name: string, help: string, labels: string[], bounds: number[]) =>
      new BoundedHistogram(registry, name, help, labels, bounds);
    this.#requests = histogram('steward_http_request_duration_seconds', 'HTTP requests', ['method', 'route', 'status'], QUICK);
    this.#steps = {
      call: histogram('steward_call_duration_seconds', 'Action calls', ['action', 'outcome'], SLOW),
      refresh: histogram('steward_refresh_duration_seconds', 'Access token refreshes', ['provider', 'outcome'], SLOW),
      provider: histogram('steward_provider_request_duration_seconds', 'Requests to providers', ['provider', 'source', 'outcome'], SLOW),
      job: histogram('steward_job_duration_seconds', 'Jobs of the queue', ['queue', 'outcome'], SLOW),
      notification: histogram('steward_notification_duration_seconds', 'Messages to users, by type of channel', ['type', 'outcome'], SLOW),
    };
    this.#runs = histogram('steward_automation_run_delay_seconds', 'Runs of automations, by how late they began', ['cause'], LATE);
    for (const cause of ['schedule', 'event', 'user']) this.#runs.addSeries(cause);
    for (const { name } of PROVIDERS.filter((descriptor) => 'refresh' in descriptor)) {
      for (const outcome of REFRESH_OUTCOMES) this.#steps.refresh.addSeries(name, outcome);
    }
    this.#counters = Object.fromEntries(
      Object.entries(COUNTERS).map(([key, description]) => [key, createCounter(registry, description)]),
    ) as Record<Counter, PromCounter>;
  }

  /** @param status 0: the client disconnected before the response */
  request(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe(seconds, METHODS.has(method) ? method : 'other', route, CLASSES[Math.trunc(status / 100)] ?? 'other');
  }

  step({ kind, name, source }: Step, outcome: string, seconds: number): void {
    if (kind === 'provider') this.#steps.provider.observe(seconds, name, source, outcome);
    else this.#steps[kind].observe(seconds, name, outcome);
  }

  runBegan(cause: RunCause, seconds: number): void {
    this.#runs.observe(seconds, cause);
  }

  count(counter: Counter, label: string): void {
    this.#counters[counter].inc({ [COUNTERS[counter].label]: label });
  }
}

function createCounter(registry: Registry, { label, initial = [], ...named }: Description): PromCounter {
  const counter = new PromCounter({ ...named, labelNames: [label], registers: [registry] });
  for (const value of initial) counter.inc({ [label]: value }, 0);
  return counter;
}
