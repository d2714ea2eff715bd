import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { unavailable } from '../errors.ts';
import { endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { Readiness, type ReadinessDeps } from './readiness.ts';

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
  const readiness = new Readiness(deps);
  const probe = { method: 'get', auth: 'none', limit: 'probe' } as const;
  const endpoints = [
    endpoint({
      ...probe,
      path: '/test',
      summary: 'Health check',
      description: '`connections` counts the open WebSocket connections of this process.',
      response: serviceStatus,
      handle: async () => ({
        json: { ...OK.json, service: 'steward' as const, environment: deps.environment, connections: deps.connections() },
      }),
    }),
    endpoint({
      ...probe,
      path: '/health/live',
      summary: 'Liveness probe: the process runs',
      response: ok,
      handle: async () => OK,
    }),
    endpoint({
      ...probe,
      path: '/health/ready',
      summary: 'Readiness probe: the process can serve requests',
      description:
        'The database accepts writes and has a schema for this release, the master keys that stored data needs are present, and the process is not shutting down.',
      response: ok,
      errors: ['unavailable'],
      async handle() {
        const obstacle = await readiness.obstacle();
        if (obstacle !== undefined) throw unavailable(obstacle);
        return OK;
      },
    }),
  ];
  return endpointRouter('Health', endpoints, middleware);
}
