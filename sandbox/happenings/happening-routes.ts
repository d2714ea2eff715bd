import { type Response, Router, urlencoded } from 'express';
import { z } from 'zod';
import { sandboxEvents as texts } from '../../public/language/en/sandbox.js';
import { AppError } from '../../src/errors.ts';
import { PAGE_POLICY } from '../../src/http/pages/html.ts';
import { validate } from '../../src/validation/validate.ts';
import type { BankSandbox } from '../bank/bank-sandbox.ts';
import { clockMove, controlRouter, moveClock } from '../control-routes.ts';
import type { Controls } from '../controls.ts';
import type { WorkspaceProvider } from '../workspace/workspace-provider.ts';
import { bankBooking, book } from './bank-booking.ts';
import { changeEventOfOthers, eventChange } from './event-change.ts';
import { BUTTONS, eventsPage } from './events-page.ts';
import { changeFileOfOthers, fileChange } from './file-change.ts';
import { arrivingMail, letMailArrive } from './mail-arrival.ts';

export interface HappeningDeps {
  workspace: WorkspaceProvider;
  bank: BankSandbox;
  controls: Controls;
}

const MOST_BODY = '200kb';

/** What can happen, by the end of its control's path. */
function happenings({ workspace, bank, controls }: HappeningDeps): Record<string, (fields: unknown) => object> {
  const act = <S extends z.ZodType>(schema: S, run: (fields: z.output<S>) => object) => {
    return (fields: unknown) => run(validate(z.preprocess(withoutEmpty, schema) as unknown as S, fields));
  };
  return {
    mail: act(arrivingMail, (given) => letMailArrive(workspace, given)),
    event: act(eventChange, (given) => changeEventOfOthers(workspace, given)),
    drive: act(fileChange, (given) => changeFileOfOthers(workspace, given)),
    transaction: act(bankBooking, (given) => book(bank, given)),
    clock: act(clockMove, (given) => moveClock(controls, given)),
  };
}

/** Controls that let something happen, mounted at /sandbox/control. */
export function happeningControls(deps: HappeningDeps): Router {
  const controls = Router();
  for (const [what, run] of Object.entries(happenings(deps))) {
    const { router, post } = controlRouter(MOST_BODY);
    post('/', z.unknown(), run);
    controls.use(`/${what}`, router);
  }
  return controls;
}

/** The page whose buttons do the same, mounted at /sandbox/events. Plain forms, no script. */
export function happeningRoutes(deps: HappeningDeps): Router {
  const run = happenings(deps);
  const router = Router();
  const show = (response: Response, status: number, notice: { done?: string | undefined; problem?: string }) => {
    const { grants } = deps.workspace;
    const accounts = grants.accounts.filter(({ sub }) => grants.isConnected(sub)).map(({ email }) => email);
    const page = eventsPage({ accounts, now: deps.controls.now(), ...notice });
    response.status(status).set({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-store' }).type('html').send(page);
  };
  router.get('/', (request, response) => {
    const { done } = request.query;
    show(response, 200, { done: typeof done === 'string' && Object.hasOwn(BUTTONS, done) ? BUTTONS[done]?.label : undefined });
  });
  router.post('/', urlencoded({ extended: false, limit: MOST_BODY }), (request, response) => {
    const { button, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    const pressed = typeof button === 'string' && Object.hasOwn(BUTTONS, button) ? BUTTONS[button] : undefined;
    if (pressed === undefined) return show(response, 400, { problem: texts.title });
    try {
      const given = Object.entries({ ...fields, ...pressed.fields }).filter(
        ([name]) => pressed.takes.includes(name) || name in pressed.fields,
      );
      run[pressed.what]?.(Object.fromEntries(given));
      response.redirect(303, `/sandbox/events?done=${button}`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      show(response, error.status, { problem: error.message });
    }
  });
  return router;
}

/** A form sends fields that nobody filled in, too. */
function withoutEmpty(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields ?? {};
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
