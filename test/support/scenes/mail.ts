import type { AppError } from '../../../src/errors.ts';
import { ownIntegrations } from '../inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { callAction } from '../users/agents.ts';
import { SocketClient } from '../users/socket-client.ts';
import { connect, newName } from './flows.ts';

const NAMES = 'search read attachment save_attachment labels draft drafts draft_update draft_delete label trash untrash'.split(' ');
const fileWith = (sendDraft: string) => `version: 1
defaults:
  policy: { approval: never, rate: 1000/min }
agents:
  mail:
    provider: workspace
    description: Mail without questions.
    scopes: [mail.modify, mail.send, drive]
    actions:
      send: { use: mail.send, policy: { approval: never } }
      draft_send: { use: mail.draft_send, policy: ${sendDraft} }
${NAMES.map((name) => `      ${name}: { use: mail.${name} }\n`).join('')}`;

/**
 * A service whose mail actions run without approval, where the policy allows it.
 *
 * @param sendDraft the policy of mail.draft_send
 */
export function startMail(env: Record<string, string> = {}, sendDraft = '{}'): Promise<TestSteward> {
  return startSteward({ INTEGRATIONS_FILE: ownIntegrations(fileWith(sendDraft)), ...env });
}

/** Someone with a mailbox of their own. */
export interface MailUser {
  email: string;
  token: string;
  run(action: string, input?: unknown): Promise<any>;
  /** Runs an action that needs approval, and approves it. */
  approved(action: string, input: unknown): Promise<any>;
  /** The error that the action must end with. */
  refusal(action: string, input?: unknown): Promise<AppError>;
  /** Id of the newest message that a search finds. */
  find(query: string): Promise<string>;
}

export function mailUser(steward: TestSteward, token: string, email: string): MailUser {
  const run = async (action: string, input: unknown = {}) => (await callAction(steward, action, input, { token })).data;
  const refusal = (action: string, input?: unknown) =>
    run(action, input).then(
      (data) => Promise.reject(new Error(`it succeeded: ${JSON.stringify(data)}`)),
      (error: AppError) => error,
    );
  return {
    email,
    token,
    run,
    refusal,
    async approved(action, input) {
      const { details } = await refusal(action, input);
      const client = await SocketClient.signedIn(steward.url, token);
      const response = await client.request({ type: 'approve', approvalId: details?.approvalId, approved: true });
      await client.close();
      if (response.type !== 'result') throw new Error(JSON.stringify(response));
      return response.data;
    },
    async find(query) {
      const { items } = (await run('mail.search', { query, max: 1 })) as { items: { id: string }[] };
      if (items[0] === undefined) throw new Error(`nothing found for ${query}`);
      return items[0].id;
    },
  };
}

/** Connects a new account at the sandbox, with its own seeded mailbox. */
export async function newMailUser(steward: TestSteward, options: { untick?: string[] } = {}): Promise<MailUser> {
  const name = newName();
  const email = `${name}@example.com`;
  const token = await steward.signIn(name);
  await connect(steward, { token, email, ...options });
  return mailUser(steward, token, email);
}

/** The user's mailbox through the provider's own API, without the service. */
export async function mailApi(steward: TestSteward, { email }: MailUser) {
  const [row] = await steward.sql<{ userId: string; grantId: string }>(
    'select user_id as "userId", grant_id as "grantId" from workspace_accounts where email = $1',
    [email],
  );
  const accessToken = await steward.context.tokens.current(row?.userId ?? '', row?.grantId ?? '');
  return async (
    path: string,
    body?: unknown,
    method = body === undefined ? 'GET' : 'POST',
  ): Promise<{ status: number; headers: Headers; body: any }> => {
    const response = await fetch(`${steward.context.sandbox?.workspace.apiUrl}/gmail/v1/users/me/${path}`, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}
