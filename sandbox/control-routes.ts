import { json, Router, urlencoded } from 'express';
import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { timeZone } from '../src/validation/time-zone.ts';
import { emailAddress, validate } from '../src/validation/validate.ts';
import { type Controls, SANDBOX_PARTS } from './controls.ts';
import { calendarApi } from './google/calendar-api.ts';
import { endSyncTokens } from './google/calendar-sync.ts';
import { driveApi } from './google/drive-api.ts';
import { endPageTokens } from './google/drive-changes.ts';
import { gmailApi } from './google/gmail-api.ts';
import { endHistory } from './google/gmail-history.ts';
import type { WorkspaceProvider } from './workspace/workspace-provider.ts';

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')]);
/** A number, or its text in a form. An empty field is not 0. */
const integer = (minimum: number, maximum: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d+$/, 'must be a whole number')
        .transform(Number),
    ])
    .pipe(z.int().min(minimum).max(maximum));

const YEAR_MS = 366 * 24 * 3_600_000;
const whose = z.enum(['provider', 'both']).default('both');
/** Fields of a move of the clock. */
export const clockMove = z.union([
  z.strictObject({ advance_ms: integer(-YEAR_MS, YEAR_MS), of: whose }),
  z.strictObject({ tomorrow_at: z.iso.time({ precision: -1 }), time_zone: timeZone.optional(), of: whose }),
]);

/** The path of calls that a fault applies to. */
export const callPath = z
  .string()
  .regex(/^\/\S*$/, 'must start with /')
  .max(200);

const fault = z.strictObject({
  part: z.enum(SANDBOX_PARTS),
  path: callPath.optional(),
  kind: z.enum(['delay', 'hang', 'status', 'malformed', 'html']),
  ms: integer(0, 600_000).optional(),
  status: integer(200, 599).optional(),
  error: z.string().max(100).optional(),
  times: integer(1, 1_000_000).optional(),
  retry_after: integer(0, 3_600).optional(),
});

const quota = z.strictObject({
  api: z.enum(['gmail', 'calendar', 'drive', 'docs', 'sheets', 'slides']),
  units_per_minute: integer(0, 1_000_000),
});

const behaviour = z.strictObject({
  token_life_seconds: integer(0, 31_536_000).optional(),
  report_expires_in: z
    .union([z.number(), z.string().max(40)])
    .nullable()
    .optional(),
  rotation: z.enum(['off', 'strict']).optional(),
  omit_refresh_token: flag.optional(),
  omit_id_token: flag.optional(),
});

const endOfTokens = z.strictObject({ email: emailAddress, api: z.enum(['gmail', 'calendar', 'drive']) });

const revocation = z.strictObject({ email: emailAddress });

/** A router of test controls, with the functions that add them. @param limit of bodies */
export function controlRouter(limit = '10kb') {
  const router = Router();
  router.use(json({ limit }), urlencoded({ extended: false, limit }));
  return {
    router,
    /** Responds with what `act` returns, by default `{success: true}`. An empty body is an empty form. */
    post<S extends z.ZodType>(path: string, schema: S, act: (fields: z.output<S>) => unknown): void {
      router.post(path, async (request, response) => {
        response.json((await act(validate(schema, request.body ?? {}))) ?? { success: true });
      });
    },
    state(read: () => object): void {
      router.get('/state', (_request, response) => void response.set('Cache-Control', 'no-store').json(read()));
    },
  };
}

/** Test controls, mounted at /sandbox/control. */
export function controlRoutes(controls: Controls, workspace: WorkspaceProvider): Router {
  const { router, post, state } = controlRouter();
  state(() => {
    const calls = Object.fromEntries(SANDBOX_PARTS.map((part) => [part, controls.calls(part)]));
    return { now: nowOf(controls), calls, accounts: workspace.grants.summary() };
  });
  post('/faults', fault, ({ retry_after: retryAfter, ...given }) => controls.inject({ ...given, retryAfter }));
  post('/workspace/quota', quota, ({ api, units_per_minute }) => controls.setQuota(api, units_per_minute));
  post('/faults/clear', z.unknown(), () => controls.clearFaults());
  post('/workspace', behaviour, (given) => change(workspace, given));
  post('/workspace/end-tokens', endOfTokens, ({ email, api }) => endTokens(workspace, api, email));
  post('/workspace/revoke', revocation, ({ email }) => void workspace.grants.revoke(workspace.grants.accountOf(email).sub));
  return router;
}

export function moveClock(controls: Controls, given: z.output<typeof clockMove>): object {
  const milliseconds = 'advance_ms' in given ? given.advance_ms : untilTomorrow(controls.now(), given.tomorrow_at, given.time_zone);
  if (given.of === 'both') controls.advanceBoth(milliseconds);
  else controls.advance(milliseconds);
  return { now: nowOf(controls) };
}

function nowOf(controls: Controls): string {
  return new Date(controls.now()).toISOString();
}

/** @param zone default: that of this machine */
function untilTomorrow(now: number, time: string, zone = Temporal.Now.timeZoneId()): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  const then = today.add({ days: 1 }).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) });
  return then.epochMilliseconds - now;
}

/** What the account's changes were asked for with until now is too old. */
function endTokens({ data, grants }: WorkspaceProvider, api: 'gmail' | 'calendar' | 'drive', email: string): void {
  const account = grants.accountOf(email);
  if (api === 'gmail') data.change(gmailApi, account, endHistory);
  else if (api === 'calendar') data.change(calendarApi, account, endSyncTokens);
  else data.change(driveApi, account, endPageTokens);
}

function change({ behaviour: current }: WorkspaceProvider, given: z.output<typeof behaviour>): void {
  current.tokenLifeSeconds = given.token_life_seconds ?? current.tokenLifeSeconds;
  current.rotation = given.rotation ?? current.rotation;
  current.omitRefreshToken = given.omit_refresh_token ?? current.omitRefreshToken;
  current.omitIdToken = given.omit_id_token ?? current.omitIdToken;
  if (given.report_expires_in !== undefined) current.reportedExpiresIn = given.report_expires_in ?? undefined;
}
