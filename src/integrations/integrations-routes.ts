import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';
import { IntegrationsError } from './file/integrations-file.ts';
import { selectStatus } from './status-repository.ts';

const provider = z.object({ connected: z.boolean(), needs_attention: z.number().int() }).meta({ id: 'ProviderStatus' });
const reloaded = z.object({ status: z.literal('success') }).meta({ id: 'ReloadResult' });

export interface IntegrationsRoutesOptions {
  db: Database;
  providers: readonly Pick<ProviderDescriptor, 'name'>[];
  reloads: { reload(): Promise<void> };
  /** Whether the response lists the file's diagnostics, which repeat parts of it. */
  showsProblems: boolean;
}

/** The reload of the integrations file, and the user's integration status. */
export function integrationsRouter(options: IntegrationsRoutesOptions, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Service', [reload(options), status(options)], middleware);
}

function reload({ reloads, showsProblems }: IntegrationsRoutesOptions): Endpoint {
  return endpoint({
    method: 'get',
    path: '/update_integrations',
    essential: true,
    summary: 'Reload the integrations file',
    description:
      'Reads integrations.yaml again without a restart. An invalid file changes nothing; the log lists the problems with their lines. ' +
      'In development the response lists them too: `details.problems`, and in `details.more` the number of those left out. ' +
      'Takes no credentials: restrict access to it at the network layer or a reverse proxy.',
    auth: 'none',
    browser: true,
    response: reloaded,
    errors: ['invalid_configuration'],
    async handle() {
      await reloads.reload().catch((error: unknown) => {
        throw showsProblems ? withProblems(error) : error;
      });
      return { json: { status: 'success' as const } };
    },
  });
}

function status({ db, providers }: IntegrationsRoutesOptions): Endpoint {
  const names = providers.map(({ name }) => name);
  const integrationStatus = z.object(Object.fromEntries(names.map((name) => [name, provider]))).meta({ id: 'IntegrationStatus' });
  return endpoint({
    method: 'get',
    path: '/integrations',
    tag: 'User',
    summary: 'Which providers the user is connected to',
    description:
      '`connected`: at least one account, whatever its status. `needs_attention`: how many accounts must be authorized again, now or soon.',
    auth: 'id_token',
    response: integrationStatus,
    handle: async ({ caller }) => ({ json: await selectStatus(db, caller.userId, names) }),
  });
}

function withProblems(error: unknown): unknown {
  if (!(error instanceof AppError && error.cause instanceof IntegrationsError)) return error;
  const { problems, more } = error.cause;
  return new AppError(error.code, error.message, { cause: error.cause, details: { problems, more } });
}
