import { json, type Request, Router, urlencoded } from 'express';
import { z } from 'zod';
import { emailAddress, validate } from '../src/validation/validate.ts';
import type { Controls } from './controls.ts';
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
const clock = z.strictObject({ advance_ms: integer(-YEAR_MS, YEAR_MS) });

const fault = z.strictObject({
  part: z.enum(['identity', 'workspace', 'bank']),
  path: z
    .string()
    .regex(/^\/\S*$/, 'must start with /')
    .max(200)
    .optional(),
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

const revocation = z.strictObject({ email: emailAddress });

/** Test controls, mounted at /sandbox/control. */
export function controlRoutes(controls: Controls, workspace: WorkspaceProvider): Router {
  const router = Router();
  router.use(json({ limit: '10kb' }), urlencoded({ extended: false, limit: '10kb' }));

  router.get('/state', (_request, response) => {
    const calls = { identity: controls.calls('identity'), workspace: controls.calls('workspace'), bank: controls.calls('bank') };
    response
      .set('Cache-Control', 'no-store')
      .json({ now: new Date(controls.now()).toISOString(), calls, accounts: workspace.grants.summary() });
  });
  router.post('/clock', (request, response) => {
    controls.advance(validate(clock, fields(request)).advance_ms);
    response.json({ now: new Date(controls.now()).toISOString() });
  });
  router.post('/faults', (request, response) => {
    const { retry_after: retryAfter, ...given } = validate(fault, fields(request));
    controls.inject({ ...given, retryAfter });
    response.json({ success: true });
  });
  router.post('/workspace/quota', (request, response) => {
    const { api, units_per_minute } = validate(quota, fields(request));
    controls.setQuota(api, units_per_minute);
    response.json({ success: true });
  });
  router.post('/faults/clear', (_request, response) => {
    controls.clearFaults();
    response.json({ success: true });
  });
  router.post('/workspace', (request, response) => {
    change(workspace, validate(behaviour, fields(request)));
    response.json({ success: true });
  });
  router.post('/workspace/revoke', (request, response) => {
    const { email } = validate(revocation, fields(request));
    workspace.grants.revoke(workspace.grants.accountOf(email).sub);
    response.json({ success: true });
  });
  return router;
}

/** An empty body is an empty form. */
function fields(request: Request): unknown {
  return request.body ?? {};
}

function change({ behaviour: current }: WorkspaceProvider, given: z.output<typeof behaviour>): void {
  current.tokenLifeSeconds = given.token_life_seconds ?? current.tokenLifeSeconds;
  current.rotation = given.rotation ?? current.rotation;
  current.omitRefreshToken = given.omit_refresh_token ?? current.omitRefreshToken;
  current.omitIdToken = given.omit_id_token ?? current.omitIdToken;
  if (given.report_expires_in !== undefined) current.reportedExpiresIn = given.report_expires_in ?? undefined;
}
