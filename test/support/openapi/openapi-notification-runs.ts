import { randomUUID } from 'node:crypto';
import { insertChannel } from '../../../src/notifications/channels/channels-repository.ts';
import { sealDestination } from '../../../src/notifications/senders/destination.ts';
import { CHANNELS } from '../scenes/notifications-scene.ts';
import type { TestSteward } from '../steward.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import { sessionOf } from '../users/sign-in.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, production, steward } from './openapi-scene.ts';

const [LIST, ADD, REMOVE, TEST] = [`GET ${CHANNELS}`, `POST ${CHANNELS}`, `DELETE ${CHANNELS}/{id}`, `POST ${CHANNELS}/{id}/test`] as const;
const [SHOW, CONFIRM] = ['GET /notifications/confirm/{secret}', 'POST /notifications/confirm/{secret}'] as const;

/** Responses about channels of notifications, and about the link to a mail address. Production has no mail server. */
export function notificationRuns(): Run[] {
  return [...channelRuns(), ...linkRuns(), ...withoutMailRuns()];
}

function channelRuns(): Run[] {
  return [
    run(LIST, '200', async () => callEndpoint(steward, LIST, { token: (await withAddress()).token })),
    run(ADD, '200', async () => add(steward, await newToken(), { type: 'webhook', url: 'https://hooks.example.com/' })),
    run(ADD, '409 conflict', async () => {
      const { token, address } = await withAddress();
      return add(steward, token, { type: 'mail', address });
    }),
    ...[REMOVE, TEST].map((endpoint) =>
      run(endpoint, '200', async () => {
        const { token, id } = await withAddress();
        return callEndpoint(steward, endpoint, { token }, id);
      }),
    ),
  ];
}

function linkRuns(): Run[] {
  return [
    run(SHOW, '200', async () => {
      const { token, path } = await withAddress();
      return (await sessionOf(steward, token)).visit(path);
    }),
    run(SHOW, '303', async () => steward.call((await withAddress()).path, { headers: { accept: 'text/html' } })),
    run(CONFIRM, '200', async () => {
      const { token, path } = await withAddress();
      const browser = await sessionOf(steward, token);
      return browser.submit(await browser.visit(path), path, () => {}, { 'sec-fetch-site': 'same-origin' });
    }),
  ];
}

function withoutMailRuns(): Run[] {
  const name = 'ada';
  const address = `${name}@example.com`;
  return [
    run(ADD, '503 not_configured', async () => add(production, await production.issuer.sign(name), { type: 'mail', address })),
    run(TEST, '503 not_configured', async () => {
      const token = await production.issuer.sign(name);
      const { userId } = await production.context.sessions.authenticate(token);
      const { db, userKeys } = production.context;
      const id = randomUUID();
      // From when there was a mail server.
      const destination = await sealDestination(db, userKeys, userId, id, { type: 'mail', address });
      await insertChannel(db, {
        userId,
        id,
        type: 'mail',
        destination,
        kinds: ['run.finished'],
        summaries: false,
        confirmedAt: new Date(0),
      });
      return callEndpoint(production, TEST, { token }, id);
    }),
  ];
}

function add(on: TestSteward, token: string, channel: object): Promise<HttpResponse> {
  const json: CallOptions = {
    body: JSON.stringify({ kinds: ['run.finished'], ...channel }),
    headers: { 'content-type': 'application/json' },
  };
  return callEndpoint(on, ADD, { token, ...json });
}

/** A new user with a mail address that is not confirmed. @returns it, with the path of the link in the sandbox's mail */
async function withAddress(): Promise<{ token: string; id: string; address: string; path: string }> {
  const token = await newToken();
  const address = `${randomUUID()}@example.com`;
  const { body } = await add(steward, token, { type: 'mail', address });
  const { mails } = await steward.control('notifications');
  const mail = mails.find(({ to }: { to: string[] }) => to.includes(address));
  return { token, id: body.id, address, path: /\/notifications\/confirm\/[\w-]{43}/.exec(mail.text)?.[0] ?? '' };
}

function run(endpoint: string, response: string, provoke: Run['provoke']): Run {
  return { endpoint, response, provoke };
}
