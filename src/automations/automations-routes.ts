import { z } from 'zod';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { text } from '../validation/validate.ts';
import type { Automation, AutomationRun, Automations } from './automations-service.ts';
import { automationPatch, newAutomation, shownDefinition } from './definition/definition.ts';

const LIMIT = 64 * 1024;
const PAGE = { default: 20, max: 200 };

export interface AutomationsRoutesOptions {
  /** Loads what the endpoints need: each start would. */
  open(): Promise<Automations>;
}

const time = z.iso.datetime();
const params = z.object({ id: z.uuid() });

const run = z
  .object({
    id: z.uuid(),
    automation_id: z.uuid(),
    status: z.enum(['due', 'running', 'waiting', 'done', 'failed', 'skipped', 'cancelled']).describe('`waiting`: for the user’s approval.'),
    planned_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    late: z.boolean().describe('It began more than 12 hours after it was planned.'),
    thread_id: z.string().nullable().describe('Its conversation; null: it has none.'),
    error: z.string().nullable().describe('The code of the error with which it failed.'),
  })
  .meta({ id: 'AutomationRun' });

const automation = z
  .object({
    id: z.uuid(),
    ...shownDefinition,
    paused_by: z
      .enum(['user', 'failures', 'account'])
      .nullable()
      .describe('`failures`: five runs in a row failed; `account`: an account that it names was disconnected. Null: it is active.'),
    next_run_at: time.nullable().describe('Of an active schedule.'),
    last_looked_at: time.nullable().describe('When the account was last read for what starts it.'),
    look_error: z.string().nullable().describe('The code of the error with which reading it last failed; null: it was read.'),
    last_run: run.nullable(),
    failures: z.int().describe('Runs in a row that failed.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Automation' });

/** Automations: made and changed by the user in person only. */
export function automationsRouter({ open }: AutomationsRoutesOptions, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = [listAutomations, createAutomation, readAutomation, changeAutomation, deleteAutomation, runAutomation, listRuns];
  return endpointRouter(
    'Automations',
    endpoints.map((declared) => declared(open)),
    middleware,
  );
}

type Open = AutomationsRoutesOptions['open'];

function listAutomations(open: Open): Endpoint {
  return endpoint({
    method: 'get',
    path: '/automations',
    summary: 'Automations',
    description: 'What runs without the user, oldest first.',
    auth: 'in_person',
    response: z.object({ automations: z.array(automation) }).meta({ id: 'Automations' }),
    handle: async ({ caller }) => ({ json: { automations: (await (await open()).list(caller.userId)).map(shown) } }),
  });
}

function createAutomation(open: Open): Endpoint {
  return endpoint({
    method: 'post',
    path: '/automations',
    summary: 'New automation',
    description:
      'A user has at most 50. Each run may do what `actions` names, in the accounts of `accounts`, and what an approval is required for only with the user’s approval.',
    auth: 'in_person',
    json: { limit: LIMIT },
    form: newAutomation,
    status: 201,
    response: automation,
    errors: ['conflict'],
    handle: async ({ caller, form }) => ({ json: shown(await (await open()).create(caller.userId, form)) }),
  });
}

function readAutomation(open: Open): Endpoint {
  return endpoint({
    method: 'get',
    path: '/automations/:id',
    summary: 'An automation',
    auth: 'in_person',
    params,
    response: automation,
    handle: async ({ caller, params: { id } }) => ({ json: shown(await (await open()).get(caller.userId, id)) }),
  });
}

function changeAutomation(open: Open): Endpoint {
  return endpoint({
    method: 'patch',
    path: '/automations/:id',
    summary: 'Change an automation',
    description:
      'What is left out stays as it is, in `budget`, too; `trigger` and `does` are replaced as a whole. `state` pauses it, and lets a paused one run again: from now on, without what it has missed.',
    auth: 'in_person',
    params,
    json: { limit: LIMIT },
    form: automationPatch,
    response: automation,
    handle: async ({ caller, params: { id }, form }) => ({ json: shown(await (await open()).change(caller.userId, id, form)) }),
  });
}

function deleteAutomation(open: Open): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/automations/:id',
    summary: 'Delete an automation',
    description: 'With its runs and their conversations. Their pending approvals end; changes that have started run to their end.',
    auth: 'in_person',
    params,
    response: success,
    async handle({ caller, params: { id } }) {
      await (await open()).delete(caller.userId, id);
      return SUCCEEDED;
    },
  });
}

function runAutomation(open: Open): Endpoint {
  return endpoint({
    method: 'post',
    path: '/automations/:id/run',
    summary: 'Run an automation now',
    description: 'Also a paused one. It begins within seconds.',
    auth: 'in_person',
    params,
    status: 202,
    response: run,
    errors: ['conflict'],
    handle: async ({ caller, params: { id } }) => ({ json: shownRun(await (await open()).run(caller.userId, id)) }),
  });
}

function listRuns(open: Open): Endpoint {
  return endpoint({
    method: 'get',
    path: '/automations/:id/runs',
    summary: 'Runs of an automation',
    description: 'The latest first. They are kept for 30 days.',
    auth: 'in_person',
    params,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(PAGE.max).default(PAGE.default).describe(`At most ${PAGE.max}.`),
      before: text(100).optional().describe('`next` of the previous page.'),
    }),
    response: z
      .object({ runs: z.array(run), next: z.string().nullable().describe('Where the next page begins; null on the last page.') })
      .meta({ id: 'AutomationRuns' }),
    async handle({ caller, params: { id }, query }) {
      const { runs, next } = await (await open()).runs(caller.userId, id, query);
      return { json: { runs: runs.map(shownRun), next } };
    },
  });
}

function shown({
  id,
  definition,
  state,
  pausedBy,
  dueAt,
  lookedAt,
  lookError,
  lastRun,
  failures,
  createdAt,
  updatedAt,
}: Automation): z.input<typeof automation> {
  return {
    id,
    ...definition,
    state,
    paused_by: pausedBy,
    next_run_at: dueAt?.toISOString() ?? null,
    last_looked_at: lookedAt?.toISOString() ?? null,
    look_error: lookError,
    last_run: lastRun && shownRun(lastRun),
    failures,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

function shownRun({ id, automationId, status, plannedAt, startedAt, endedAt, late, threadId, error }: AutomationRun): z.input<typeof run> {
  return {
    id,
    automation_id: automationId,
    status,
    planned_at: plannedAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    late,
    thread_id: threadId,
    error,
  };
}
