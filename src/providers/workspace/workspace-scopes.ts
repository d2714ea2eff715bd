import { z } from 'zod';
import { didYouMean } from '../../validation/nearest-name.ts';

const PREFIX = 'https://www.googleapis.com/auth/';

/** The interface's scope names → what the provider calls them. */
export const WORKSPACE_SCOPES = {
  'userinfo.email': `${PREFIX}userinfo.email`,
  'userinfo.profile': `${PREFIX}userinfo.profile`,
  'calendar.events.owned': `${PREFIX}calendar.events.owned`,
  'mail.send': `${PREFIX}gmail.send`,
  'mail.modify': `${PREFIX}gmail.modify`,
  documents: `${PREFIX}documents`,
  docs: `${PREFIX}docs`,
  drive: `${PREFIX}drive`,
  'spreadsheets.readonly': `${PREFIX}spreadsheets.readonly`,
  'presentations.readonly': `${PREFIX}presentations.readonly`,
} as const;

export type ScopeName = keyof typeof WORKSPACE_SCOPES;
export const SCOPE_NAMES = Object.keys(WORKSPACE_SCOPES) as [ScopeName, ...ScopeName[]];

/** The name of a scope, as the integrations file has it. */
export const scopeName = z.enum(SCOPE_NAMES, {
  error: ({ input }) => (typeof input === 'string' ? unknownScope(input) : 'must be the name of a scope'),
});

/** Adds nothing to `drive`: requested since the interface lists it, never required. */
const NEVER_REQUIRED: ReadonlySet<ScopeName> = new Set(['docs']);

/** `email` and `profile` are what OpenID Connect calls the two userinfo scopes; the provider may answer either way. */
const ALIASES: Record<string, string> = { email: WORKSPACE_SCOPES['userinfo.email'], profile: WORKSPACE_SCOPES['userinfo.profile'] };

/** All that is asked for: `openid` yields an id_token with the account's `sub`. */
export const REQUESTED_SCOPES: readonly string[] = ['openid', ...Object.values(WORKSPACE_SCOPES)];

/**
 * The scopes really granted: users can untick some.
 *
 * @param scope the token answer's `scope`; absent means "as requested" (RFC 6749, 5.1)
 */
export function grantedScopes(scope: string | undefined): string[] {
  if (scope === undefined) return [...REQUESTED_SCOPES];
  const granted = scope
    .split(' ')
    .filter((value) => value !== '')
    .map((value) => ALIASES[value] ?? value);
  return [...new Set(granted)];
}

/** Names of the requested scopes that were not granted. */
export function missingScopes(granted: readonly string[]): ScopeName[] {
  return SCOPE_NAMES.filter((name) => !NEVER_REQUIRED.has(name) && !granted.includes(WORKSPACE_SCOPES[name]));
}

/** Without either, nobody could say whose account it is. */
export function identifiesAccount(granted: readonly string[]): boolean {
  return granted.includes('openid') || granted.includes(WORKSPACE_SCOPES['userinfo.email']);
}

/** Whether a grant with these scopes covers the one of a name. */
export function isScopeGranted(granted: readonly string[], name: string): boolean {
  return Object.hasOwn(WORKSPACE_SCOPES, name) && granted.includes(WORKSPACE_SCOPES[name as ScopeName]);
}

/** Suggests a name for what may be the provider's own name of a scope: the whole URL, or its last part. */
function unknownScope(name: string): string {
  const own = name.slice(name.lastIndexOf('/') + 1);
  const meant = SCOPE_NAMES.find((known) => WORKSPACE_SCOPES[known].endsWith(`/auth/${own}`));
  return `there is no scope ${name.slice(0, 100)}${meant === undefined ? didYouMean(own, SCOPE_NAMES) : `; did you mean ${meant}?`}`;
}
