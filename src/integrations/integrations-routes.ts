import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';

/** The reload of the integrations file. */
export function integrationsRoutes(service: { reload(): Promise<void> }): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/update_integrations',
      tag: 'Service',
      summary: 'Reload the integrations file',
      description:
        'Reads integrations.yaml again without a restart. A file that is not valid changes nothing; the log says what is wrong at which line. ' +
        'Takes no credentials: restrict access to it at the network layer or a reverse proxy.',
      auth: 'none',
      answer: z.object({ status: z.literal('success') }),
      errors: ['invalid_configuration'],
      async handle() {
        await service.reload();
        return { json: { status: 'success' as const } };
      },
    }),
  ];
}
