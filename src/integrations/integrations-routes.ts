import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';
import { IntegrationsError } from './file/integrations-file.ts';

const provider = z.object({ connected: z.boolean(), needs_attention: z.number().int() }).meta({ id: 'ProviderStatus' });
const source = provider.extend({ label: z.string() }).meta({ id: 'SourceStatus' });
const reloaded = z.object({ status: z.literal('success') }).meta({ id: 'ReloadResult' });

export interface IntegrationsRoutesOptions {
  db: Database;
  /** Those with accounts of their own. */
  providers: readonly Pick<ProviderDescriptor, 'name'>[];
  /** Of the integrations file, by name. */
  sources(): ReadonlyMap<string, Pick<SourceSettings, 'label'>>;
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

function status({ db, providers, sources }: IntegrationsRoutesOptions): Endpoint {
  const names = providers.map(({ name }) => name);
  const ofProviders = Object.fromEntries(names.map((name) => [name, provider]));
  const ofSources = z.record(z.string(), source).describe('Of each source of the integrations file, by its name.');
  const integrationStatus = z.object({ ...ofProviders, sources: ofSources }).meta({ id: 'IntegrationStatus' });
  return endpoint({
    method: 'get',
    path: '/integrations',
    tag: 'User',
    summary: 'Which providers and sources the user is connected to',
    description:
      '`connected`: at least one account, whatever its status. `needs_attention`: how many accounts must be authorized again, now or soon.',
    auth: 'id_token',
    response: integrationStatus,
    async handle({ caller }) {
      const { selectStatus } = await import('./status-repository.ts');
      const { providers: json, sources: connected } = await selectStatus(db, caller.userId, names, sources());
      return { json: { ...json, sources: connected } };
    },
  });
}

function withProblems(error: unknown): unknown {
  if (!(error instanceof AppError && error.cause instanceof IntegrationsError)) return error;
  const { problems, more } = error.cause;
  return new AppError(error.code, error.message, { cause: error.cause, details: { problems, more } });
}
