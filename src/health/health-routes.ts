import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Config } from '../settings.ts';
import { isWritable } from './health-repository.ts';

const TAG = 'Health';
const ok = z.object({ status: z.literal('success') });
const REMEMBER_MS = 1_000;
const OK = { json: { status: 'success' } } as const;

export interface HealthParts {
  environment: Config['environment'];
  db: Database;
  /** Open WebSocket connections of this process. */
  connections(): number;
  /** Going down: no new work. */
  draining(): boolean;
}

/** GET /test and the two probes for orchestrators. */
export function healthRoutes(parts: HealthParts): Endpoint[] {
  const writable = rememberBriefly(() => isWritable(parts.db));
  return [
    endpoint({
      method: 'get',
      path: '/test',
      tag: TAG,
      summary: 'Health check',
      description: '`connections` counts the open WebSocket connections of this process.',
      auth: 'none',
      answer: z.object({
        status: z.literal('success'),
        service: z.literal('steward'),
        environment: z.enum(['production', 'development']),
        connections: z.number().int(),
      }),
      errors: [],
      handle: async () => ({
        json: { status: 'success' as const, service: 'steward' as const, environment: parts.environment, connections: parts.connections() },
      }),
    }),
    endpoint({
      method: 'get',
      path: '/health/live',
      tag: TAG,
      summary: 'Whether the process runs',
      auth: 'none',
      answer: ok,
      errors: [],
      handle: async () => OK,
    }),
    endpoint({
      method: 'get',
      path: '/health/ready',
      tag: TAG,
      summary: 'Whether the process can take requests',
      description: 'The database takes writes and the process is not shutting down.',
      auth: 'none',
      answer: ok,
      errors: ['unavailable'],
      async handle() {
        if (parts.draining()) throw new AppError('unavailable', 'Shutting down.', { retryAfter: 5 });
        if (!(await writable())) throw new AppError('unavailable', 'The database takes no writes at the moment.', { retryAfter: 5 });
        return OK;
      },
    }),
  ];
}

/** The probe stands before the rate limit, so a flood of it must not become a flood of queries. */
function rememberBriefly(ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> | undefined;
  return () => {
    const now = Date.now();
    if (answer === undefined || now - asked >= REMEMBER_MS) {
      asked = now;
      answer = ask();
    }
    return answer;
  };
}
