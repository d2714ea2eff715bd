import { z } from 'zod';
import type { Config, ModelSettings } from '../config/config.ts';
import { limitVariable } from '../config/limits.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { IntegrationsService } from '../integrations/reload/integrations-service.ts';
import type { Caller } from '../principal.ts';
import type { Providers } from '../providers/open-providers.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';

const amount = z.number().nullable().describe('null: no limit.');
const operatorStatus = z
  .object({
    integrations: z.array(
      z.object({
        provider: z.string(),
        configured: z.boolean(),
        agents: z.array(z.object({ name: z.string(), actions: z.array(z.string()).describe('Those that are enabled.') })),
        accounts: z.number().int().describe('Of all users.'),
        needs_attention: z.number().int().describe('Accounts that must be authorized again, now or soon.'),
      }),
    ),
    file: z
      .object({
        revision: z.string().describe('Of the integrations in force.'),
        problems: z.array(z.object({ line: z.int(), column: z.int(), path: z.string(), message: z.string() })),
        more: z.int().describe('Number of further problems.'),
      })
      .describe('The integrations file; with problems, an earlier version of it is in force.'),
    models: z.array(
      z.object({
        name: z.string(),
        provider: z.string(),
        model: z.string(),
        default: z.boolean(),
        stand_in: z.boolean(),
        context_tokens: z.int(),
        input_price: amount,
        output_price: amount,
      }),
    ),
    budget: z
      .object({ runs: amount, steps: amount, tokens: amount, seconds: amount, cost: amount })
      .describe('What one user’s answers may use within a day (UTC).'),
    limits: z.record(z.string(), z.number()).describe('By the names of their variables.'),
  })
  .meta({ id: 'OperatorStatus' });

export interface OperatorDeps {
  config: Pick<Config, 'limits' | 'modelBudget'>;
  db: Database;
  descriptors: readonly Pick<ProviderDescriptor, 'name' | 'hasAccounts'>[];
  providers: Pick<Providers, 'isConfigured'>;
  integrations: Pick<IntegrationsService, 'current' | 'rejected'>;
  catalog: () => Pick<Catalog, 'agents'>;
  models: readonly ModelSettings[];
  isOperator(caller: Caller): boolean;
}

/** How the service is doing, for those of OPERATORS. */
export function operatorRouter(deps: OperatorDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Operator', [status(deps)], middleware);
}

function status(deps: OperatorDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/operator/status',
    summary: 'Integrations with their problems, models and limits',
    description: 'For users of `OPERATORS` in person: 403 `forbidden` for others. Says nothing of single users, and no keys.',
    auth: 'id_token',
    response: operatorStatus,
    async handle({ caller }) {
      if (!deps.isOperator(caller)) throw new AppError('forbidden', 'Only operators of this service can see this.');
      const { config, integrations } = deps;
      const { problems = [], more = 0 } = integrations.rejected ?? {};
      const file = { revision: integrations.current.revision, problems: [...problems], more };
      return {
        json: {
          integrations: await integrationsOf(deps),
          file,
          models: deps.models.map(model),
          budget: budget(config),
          limits: limits(config),
        },
      };
    },
  });
}

async function integrationsOf({ db, descriptors, providers, catalog }: OperatorDeps) {
  const { selectAccountCounts } = await import('./attention-repository.ts');
  const counts = new Map((await selectAccountCounts(db)).map((row) => [row.provider, row]));
  const agents = [...catalog().agents.values()];
  return descriptors
    .filter(({ hasAccounts = true }) => hasAccounts)
    .map(({ name }) => ({
      provider: name,
      configured: providers.isConfigured(name),
      agents: agents.filter(({ provider }) => provider === name).map(agent),
      accounts: counts.get(name)?.accounts ?? 0,
      needs_attention: counts.get(name)?.needsAttention ?? 0,
    }));
}

type Agents = Catalog['agents'];

function agent({ name, actions }: Agents extends ReadonlyMap<string, infer One> ? One : never) {
  return { name, actions: actions.filter(({ policy }) => policy.enabled).map((action) => action.name) };
}

function model({ name, provider, model: id, contextTokens, inputPrice, outputPrice, isStandIn }: ModelSettings, index: number) {
  const prices = { input_price: inputPrice ?? null, output_price: outputPrice ?? null };
  return { name, provider, model: id, default: index === 0, stand_in: isStandIn === true, context_tokens: contextTokens, ...prices };
}

function budget({ modelBudget: { runs, steps, tokens, seconds, cost } }: OperatorDeps['config']) {
  return { runs: runs ?? null, steps: steps ?? null, tokens: tokens ?? null, seconds: seconds ?? null, cost: cost ?? null };
}

function limits({ limits: all }: OperatorDeps['config']): Record<string, number> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [limitVariable(name), value]));
}
