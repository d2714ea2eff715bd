import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoint-router.ts';
import { Readiness, type ReadinessDeps } from './readiness.ts';

const TAG = 'Health';
const ok = z.object({ status: z.literal('success') }).meta({ id: 'ProbeResult' });
const serviceStatus = z
  .object({
    status: z.literal('success'),
    service: z.literal('steward'),
    environment: z.enum(['production', 'development']),
    connections: z.number().int(),
  })
  .meta({ id: 'ServiceStatus' });
const OK = { json: { status: 'success' } } as const;

export interface HealthDeps extends ReadinessDeps {
  environment: Config['environment'];
  /** Open WebSocket connections of this process. */
  connections(): number;
}

/** `GET /test` and the two probes for orchestrators. */
export function healthRouter(deps: HealthDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter([status(deps), live(), ready(new Readiness(deps))], middleware);
}

function status(deps: HealthDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/test',
    tag: TAG,
    summary: 'Health check',
    description: '`connections` counts the open WebSocket connections of this process.',
    auth: 'none',
    limit: 'probe',
    response: serviceStatus,
    errors: [],
    handle: async () => ({
      json: { status: 'success' as const, service: 'steward' as const, environment: deps.environment, connections: deps.connections() },
    }),
  });
}

function live(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/health/live',
    tag: TAG,
    summary: 'Liveness probe: the process runs',
    auth: 'none',
    limit: 'probe',
    response: ok,
    errors: [],
    handle: async () => OK,
  });
}

function ready(readiness: Readiness): Endpoint {
  return endpoint({
    method: 'get',
    path: '/health/ready',
    tag: TAG,
    summary: 'Readiness probe: the process can serve requests',
    description:
      'The database accepts writes and has a schema for this release, the master keys that stored data needs are present, and the process is not shutting down.',
    auth: 'none',
    limit: 'probe',
    response: ok,
    errors: ['unavailable'],
    async handle() {
      const obstacle = await readiness.obstacle();
      if (obstacle !== undefined) throw new AppError('unavailable', obstacle, { retryAfter: 5 });
      return OK;
    },
  });
}
