import { z } from 'zod';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { IntegrationsError } from './integrations-file.ts';

/**
 * The reload of the integrations file.
 *
 * @param showsProblems whether the answer tells what is wrong with it: that repeats parts of the file
 */
export function integrationsRoutes(service: { reload(): Promise<void> }, showsProblems: boolean): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/update_integrations',
      tag: 'Service',
      summary: 'Reload the integrations file',
      description:
        'Reads integrations.yaml again without a restart. A file that is not valid changes nothing; the log says what is wrong at which line, ' +
        'and in development the answer does, too: `details.problems`, and in `details.more` how many there are beside those. ' +
        'Takes no credentials: restrict access to it at the network layer or a reverse proxy.',
      auth: 'none',
      answer: z.object({ status: z.literal('success') }),
      errors: ['invalid_configuration'],
      async handle() {
        await service.reload().catch((error: unknown) => {
          throw showsProblems ? withProblems(error) : error;
        });
        return { json: { status: 'success' as const } };
      },
    }),
  ];
}

function withProblems(error: unknown): unknown {
  if (!(error instanceof AppError && error.cause instanceof IntegrationsError)) return error;
  const { problems, more } = error.cause;
  return new AppError(error.code, error.message, { cause: error.cause, details: { problems, more } });
}
