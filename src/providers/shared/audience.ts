import { distinctBy } from '../../validation/distinct-by.ts';
import { addressKey } from '../../validation/email-address.ts';

/**
 * Someone other than the user who sees the effect of a call; addresses and domains in lower case. `unknown`: it can't
 * be told who, which may be anyone.
 */
export type Viewer =
  | { kind: 'person' | 'group'; address: string }
  | { kind: 'domain'; domain: string }
  /** Another people's server, which receives the arguments. `name`: as the operator calls it. */
  | { kind: 'service'; host: string; name: string }
  | { kind: 'anyone' }
  | { kind: 'unknown' };

/** Who sees the effect of a call; empty: only the user. */
export type Audience = readonly Viewer[];

/** What can't be read counts as seen by others. */
export const UNKNOWN: Audience = [{ kind: 'unknown' }];

/** People by their mail addresses, each once. */
export function people(addresses: readonly string[]): Audience {
  return union(addresses.map((address) => ({ kind: 'person', address: addressKey(address) })));
}

/** Everyone of these audiences, each once. */
export function union(...audiences: readonly Audience[]): Audience {
  return distinctBy(audiences.flat(), keyOf);
}

/** Whether someone sees it now who didn't before. An unknown audience that was accepted includes every other. */
export function isWider(now: Audience, before: Audience): boolean {
  const known = new Set(before.map(keyOf));
  return !known.has('unknown') && now.some((viewer) => !known.has(keyOf(viewer)));
}

function keyOf(viewer: Viewer): string {
  if (viewer.kind === 'domain') return `domain ${viewer.domain}`;
  if (viewer.kind === 'service') return `service ${viewer.host}`;
  return 'address' in viewer ? `${viewer.kind} ${viewer.address}` : viewer.kind;
}
