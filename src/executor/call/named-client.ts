import { z } from 'zod';
import { isLoopback } from '../../config/config.ts';
import type { ClientGrantRow } from './client-grants-repository.ts';

/** A client as its user is shown it. */
export interface NamedClient extends Pick<ClientGrantRow, 'id' | 'redirectHost'> {
  /** A token's, which the user chose; an app's, which it chose itself. */
  name: string;
  kind: 'personal_access_token' | 'oauth';
  /** Of an app: the host that has confirmed where its redirects may go; null: it registered itself. */
  host: string | null;
  /** Of an app: sentences of Steward's own on where it is from; null: a token. */
  about: string | null;
}

/** What it is made of, in a row. */
export type ClientColumns = Pick<ClientGrantRow, 'id' | 'name' | 'kind' | 'oauthClientId' | 'redirectHost'>;

/** SQL: the {@link ClientColumns} of a row's `client_id`; null: there is no such client. @param table its name or alias */
export function clientOf(table: string): string {
  return `(select json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'oauthClientId', c.oauth_client_id,
    'redirectHost', c.redirect_host) from client_grants c where c.id = ${table}.client_id and c.user_id = ${table}.user_id)`;
}

export function namedClient({ id, name, kind, oauthClientId, redirectHost }: ClientColumns): NamedClient {
  const client = { id, name, host: hostOf(oauthClientId), redirectHost };
  if (kind === 'personal_access_token') return { ...client, kind, about: null };
  return { ...client, kind: 'oauth', about: aboutApp(client) };
}

/** The host at which a client has published its metadata, if its id is that address; others name themselves. */
function hostOf(clientId: string | null): string | null {
  const url = clientId === null ? null : URL.parse(clientId);
  return url?.protocol === 'https:' ? url.host : null;
}

function aboutApp({ host, redirectHost }: Pick<NamedClient, 'host' | 'redirectHost'>): string {
  if (redirectHost === null) return 'It signed in at the operator’s own server.';
  if (isLocal(redirectHost)) {
    return `A program on the device where you signed in${host === null ? '' : `, as ${host}`}. Any program there can use this name.`;
  }
  if (host === null) return `It registered itself, and its name is not verified. It received access at ${redirectHost}.`;
  return host === redirectHost ? `From ${host}.` : `From ${host}. It received access at ${redirectHost}.`;
}

/** @param redirectHost with its port, or the scheme of a program */
function isLocal(redirectHost: string): boolean {
  const url = URL.parse(`http://${redirectHost}`);
  return redirectHost.endsWith(':') || url === null || isLoopback(url.hostname);
}

/** A {@link NamedClient} in responses. */
export const clientFields = {
  name: z.string().describe('Of a token; of an OAuth client: what it calls itself.'),
  kind: z.enum(['personal_access_token', 'oauth']),
  host: z
    .string()
    .nullable()
    .describe(
      'Of an OAuth client whose id is an https URL: the host of that URL, which has confirmed where its redirects may go. In development without a way to the internet, a client on the same machine has gone on unconfirmed.',
    ),
  redirect_host: z.string().nullable().describe('Of an OAuth client: the host to which its redirects go.'),
  about: z.string().nullable().describe('Of an OAuth client: where it is from, as far as that is known, in sentences for its user.'),
};

export function clientResponse({ name, kind, host, redirectHost, about }: NamedClient) {
  return { name, kind, host, redirect_host: redirectHost, about };
}
