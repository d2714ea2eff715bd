import { AppError } from '../../errors.ts';
import type { ConfiguredAction } from '../../integrations/catalog.ts';

/** `oauth`: at the embedded authorization server; `external`: at the operator's own. */
export type ClientKind = 'personal_access_token' | 'oauth' | 'external';

const OF_TOKEN = {
  readsOnly: 'This token may only read, and the action changes something. The user can make one with the access “write”.',
  notNamed: 'This token does not name this action. The user can make one that does.',
};
const OF_APP = {
  readsOnly: 'This app may only read, and the action changes something. The user can connect it again and permit changes.',
  notNamed: 'This app may not use this action. The user can connect it again and permit it.',
};

const OF_AUTOMATION = {
  readsOnly: 'This automation may only read, and the action changes something.',
  notNamed: 'This automation may not use this action. The user can edit it and permit the action.',
};
const WORDS = {
  personal_access_token: OF_TOKEN,
  oauth: OF_APP,
  external: OF_APP,
  automation: OF_AUTOMATION,
} as const satisfies Record<CallerGrant['kind'], object>;

/** What a client, or a run of an automation, may do on the user's behalf. */
export interface CallerGrant {
  kind: ClientKind | 'automation';
  /** `*`, all actions of an agent (`mail.*`) or one action (`calendar.list`). */
  actions: readonly string[];
  /** `read`: only actions that change nothing. */
  access: 'read' | 'write';
  /** null: all accounts, also later ones. */
  accountIds: readonly string[] | null;
  /** Of all: those that it may not use. */
  exceptAccountIds: readonly string[];
}

/** What a client may do. */
export interface ClientGrant extends CallerGrant {
  id: string;
  userId: string;
  kind: ClientKind;
}

/** Whether a pattern of a grant covers an action's full name. */
export function covers(pattern: string, action: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
}

/** An action, as far as a grant is about it. */
interface Permissible {
  name: string;
  action: Pick<ConfiguredAction['action'], 'effect'>;
}

export function isPermitted({ actions, access }: CallerGrant, { name, action }: Permissible): boolean {
  return actions.some((pattern) => covers(pattern, name)) && (access === 'write' || action.effect === 'read');
}

/** @throws AppError `forbidden` */
export function assertPermitted(grant: CallerGrant | undefined, configured: Permissible): void {
  if (grant === undefined || isPermitted(grant, configured)) return;
  const isNamed = grant.actions.some((pattern) => covers(pattern, configured.name));
  const { readsOnly, notNamed } = WORDS[grant.kind];
  throw new AppError('forbidden', isNamed ? readsOnly : notNamed);
}

/** Those of the user's accounts that the caller may use. */
export function permittedAccounts<Account extends { id: string }>(
  grant: CallerGrant | undefined,
  accounts: readonly Account[],
): readonly Account[] {
  if (grant === undefined) return accounts;
  const { accountIds, exceptAccountIds } = grant;
  return accounts.filter(({ id }) => (accountIds?.includes(id) ?? true) && !exceptAccountIds.includes(id));
}

/** The error of a client whose grant was revoked, has expired or never existed. */
export function notAClient(): AppError {
  return new AppError('invalid_token', 'This token was revoked, has expired or doesn’t exist.');
}

/** The error of a decision on the request of such a client. Not `invalid_token`, which would be about the token of the user who decides. */
export function askerEnded(): AppError {
  return new AppError('conflict', 'The app or token that asked for this is not connected any more.');
}
