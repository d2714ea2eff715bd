import { BRIEF, makeAutomation } from '../scenes/automations.ts';
import type { CallOptions } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, steward } from './openapi-scene.ts';

const RUN = 'POST /automations/{id}/run';
const RUNS = 'GET /automations/{id}/runs';
const MOST = 50;

/** Calls an endpoint about an automation of a new user, which is paused: what is asked of it is not done meanwhile. */
async function onAutomation(endpoint: string, options: CallOptions = {}) {
  const token = await newToken();
  return callEndpoint(steward, endpoint, { token, ...options }, await makeAutomation(steward, token, { state: 'paused' }));
}

/** Responses about automations. */
export function automationRuns(): Run[] {
  const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const ok = (endpoint: string, response = '200', options: CallOptions = {}): Run => ({
    endpoint,
    response,
    provoke: () => onAutomation(endpoint, options),
  });
  return [
    ok('GET /automations'),
    ok('POST /automations', '201', json(BRIEF)),
    {
      endpoint: 'POST /automations',
      response: '409 conflict',
      async provoke() {
        const token = await newToken();
        for (let made = 0; made < MOST; made += 1) await makeAutomation(steward, token);
        return callEndpoint(steward, 'POST /automations', { token, ...json(BRIEF) });
      },
    },
    ok('GET /automations/{id}'),
    ok('PATCH /automations/{id}', '200', json({ name: 'Brief' })),
    ok('DELETE /automations/{id}'),
    ok(RUN, '202'),
    {
      endpoint: RUN,
      response: '409 conflict',
      async provoke() {
        const token = await newToken();
        const id = await makeAutomation(steward, token);
        // Another one, which no replica begins.
        await steward.sql(
          `insert into automation_runs (id, user_id, automation_id, occurrence, planned_at)
           select gen_random_uuid(), user_id, id, 'manual:x', now() from automations where id = $1`,
          [id],
        );
        return callEndpoint(steward, RUN, { token }, id);
      },
    },
    ok(RUNS),
    {
      endpoint: RUNS,
      response: '400 invalid_request',
      provoke: async () => callEndpoint(steward, `${RUNS}?limit=0`, { token: await newToken() }),
    },
  ];
}
