import { z } from 'zod';
import { didYouMean } from '../../validation/nearest-name.ts';
import { scopeNames } from '../../validation/scope-names.ts';

const PREFIX = 'https://www.googleapis.com/auth/';

/** The interface's scope names → the provider's scope URLs. */
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

/** The name of a scope in the integrations file. */
export const scopeName = z.enum(SCOPE_NAMES, {
  error: ({ input }) => (typeof input === 'string' ? unknownScope(input) : 'must be the name of a scope'),
});

/** Covered by `drive`; requested because the interface lists it, never required. */
const NEVER_REQUIRED: ReadonlySet<ScopeName> = new Set(['docs']);

/** OpenID Connect's names of the two userinfo scopes; the provider may return either. */
const ALIASES: Record<string, string> = { email: WORKSPACE_SCOPES['userinfo.email'], profile: WORKSPACE_SCOPES['userinfo.profile'] };

/** All requested scopes. `openid` yields an id_token with the account's `sub`. */
export const REQUESTED_SCOPES: readonly string[] = ['openid', ...Object.values(WORKSPACE_SCOPES)];

/**
 * The granted scopes. Users can grant some of those requested.
 *
 * @param scope of the token response; absent: as requested (RFC 6749, 5.1)
 */
export function grantedScopes(scope: string | undefined): string[] {
  if (scope === undefined) return [...REQUESTED_SCOPES];
  return [...new Set(scopeNames(scope).map((name) => ALIASES[name] ?? name))];
}

/** Names of the requested scopes that were not granted. */
export function missingScopes(granted: readonly string[]): ScopeName[] {
  return SCOPE_NAMES.filter((name) => !NEVER_REQUIRED.has(name) && !granted.includes(WORKSPACE_SCOPES[name]));
}

/** Whether one of the scopes that identify the account was granted. */
export function identifiesAccount(granted: readonly string[]): boolean {
  return granted.includes('openid') || granted.includes(WORKSPACE_SCOPES['userinfo.email']);
}

/** Whether a grant with these scopes covers the one of a name. */
export function isScopeGranted(granted: readonly string[], name: string): boolean {
  return Object.hasOwn(WORKSPACE_SCOPES, name) && granted.includes(WORKSPACE_SCOPES[name as ScopeName]);
}

/** Suggests a name for what may be the provider's own name of a scope: the URL, or its last part. */
function unknownScope(name: string): string {
  const own = name.slice(name.lastIndexOf('/') + 1);
  const meant = SCOPE_NAMES.find((known) => WORKSPACE_SCOPES[known].endsWith(`/auth/${own}`));
  return `there is no scope ${name.slice(0, 100)}${meant === undefined ? didYouMean(own, SCOPE_NAMES) : `; did you mean ${meant}?`}`;
}
