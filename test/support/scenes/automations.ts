import type { Service } from '../steward.ts';
import type { HttpResponse } from '../users/request.ts';

/** Each day at 08:00 in Berlin, a prompt. */
export const BRIEF = {
  name: 'Morning brief',
  trigger: { type: 'schedule', every: 'day', at: '08:00', time_zone: 'Europe/Berlin' },
  does: { type: 'prompt', prompt: 'What is new?' },
} as const;

/** A request to the endpoints of automations, with a JSON body if there is one. */
export function callAutomations(
  service: Pick<Service, 'call'>,
  token: string,
  method: string,
  path = '',
  body?: unknown,
): Promise<HttpResponse> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return service.call(`/automations${path}`, { method, token, ...json });
}

/** @returns its id */
export async function makeAutomation(service: Pick<Service, 'call'>, token: string, changed: object = {}): Promise<string> {
  const made = await callAutomations(service, token, 'POST', '', { ...BRIEF, ...changed });
  if (made.status !== 201) throw new Error(`no automation: ${made.text}`);
  return made.body.id;
}
