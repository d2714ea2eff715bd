import { randomUUID } from 'node:crypto';
import type { Connector, FlowDeps, FlowSecrets, Granted, Profile } from '../connections/connector.ts';
import { FlowRejection } from '../connections/connector.ts';
import { codeChallenge } from '../crypto/secrets.ts';
import { afterCommit } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { redirectUriOf } from '../providers/mcp/own-addresses.ts';
import type { AuthorizationRequest, SourceAuthorization } from '../providers/mcp/source-authorization.ts';
import { deadline } from '../providers/transport/deadline.ts';
import { insertAccount, lockAccount, updateAccount } from './accounts-repository.ts';
import { accountLabel, freeLabel } from './labels.ts';
import type { Sources } from './source-deps.ts';
import type { ToolListings } from './tool-listings.ts';

const PROVIDER = 'mcp';

/** What a flow to a source has found out before its user is led away. */
export interface PreparedSource {
  /** Of `auth: oauth`. */
  request?: AuthorizationRequest;
  /** How the user calls the connection. */
  label?: string | undefined;
}

/** A connection that was granted. */
export interface SourceProfile extends Profile {
  source: string;
  /** The server's address. */
  url: string;
  /** How the user calls it; undefined: after its source. */
  label?: string | undefined;
  /** Who the user is there, if the server says so. */
  hint?: string | undefined;
  /** The account that is connected again; null: a new one. */
  accountId: string | null;
}

export interface SourceConnectorDeps extends Pick<FlowDeps, 'db' | 'clock' | 'grants' | 'emit'> {
  sources: Sources;
  authorization: SourceAuthorization;
  listings: Pick<ToolListings, 'readNew'>;
  publicUrl: string;
  /** Time limit of one step at a server, milliseconds. */
  timeoutMs: number;
}

/** Path of the page on which a user finishes a flow that has no authorization server. */
export function entryPath(flowId: string): string {
  return `/auth/sources/entry/${flowId}`;
}

/** Connects users to sources: each connection is an account of its own, whose subject is the id of its flow. */
export function sourceConnector({ clock, grants, emit, ...deps }: SourceConnectorDeps): Connector<SourceProfile> {
  const { authorization, listings, publicUrl, timeoutMs } = deps;
  return {
    provider: PROVIDER,
    confirmPath: '/auth/sources/confirm',
    deadline: () => deadline(clock, timeoutMs),
    address({ id }, secrets) {
      const { request } = preparedIn(secrets);
      if (request === undefined) return publicUrl + entryPath(id);
      return authorization.authorizationUrl(request, { state: secrets.state, challenge: codeChallenge(secrets.verifier) });
    },
    async isOfFlow({ iss, source }, secrets) {
      const { request } = preparedIn(await secrets());
      if (request === undefined) return false;
      return request.redirectUri === redirectUriOf(publicUrl, source) && authorization.isOfIssuer(request, iss);
    },
    async exchange({ id, source, accountId }, secrets, { code, iss }, signal, progress) {
      const { request, label } = preparedIn(secrets);
      if (request === undefined || source === null) throw new AppError('provider_error', 'This source is not connected by OAuth.');
      progress.identified(id);
      const {
        hint,
        subject: _,
        ...tokens
      } = await authorization.exchange(request, { code, iss, verifier: secrets.verifier }, signal, progress);
      const profile = { subject: id, source, url: request.url, label, hint, accountId };
      return { granted: { tokens, profile }, account: nameOf(deps.sources, profile), mismatch: false };
    },
    subjectOf: async ({ id }) => id,
    warm: async () => {},
    async store(tx, { userId }, { tokens, profile }: Granted<SourceProfile>) {
      const { subject, source, url, accountId } = profile;
      const before = accountId === null ? undefined : await lockAccount(tx, userId, accountId);
      if (accountId !== null && before === undefined) throw new FlowRejection('account_disconnected');
      const { accessToken, refreshToken, scopes, expiresAt } = tokens;
      const credentials = { accessToken, ...(refreshToken !== undefined && { refreshToken }) };
      const grant = { userId, provider: PROVIDER, subject, tokens: credentials, scopes, expiresAt };
      const id = before?.id ?? randomUUID();
      if (before === undefined) {
        const label = await freeLabel(tx, userId, nameOf(deps.sources, profile));
        await insertAccount(tx, { id, userId, grantId: (await grants.store(tx, grant)).id, source, url, label });
      } else {
        await grants.replace(tx, before.grantId, grant);
        const label = profile.label === undefined ? before.label : await freeLabel(tx, userId, profile.label, id);
        await updateAccount(tx, { id, userId, url, label });
      }
      const about = { account: id, provider: PROVIDER };
      await emit(tx, userId, 'account.connected', about);
      if (before !== undefined && before.status !== 'active') await emit(tx, userId, 'account.status', { ...about, status: 'active' });
      afterCommit(tx, () => listings.readNew(userId, id));
      return { id, missingScopes: [] };
    },
  };
}

export function preparedIn({ prepared }: Pick<FlowSecrets, 'prepared'>): PreparedSource {
  return (prepared ?? {}) as PreparedSource;
}

function nameOf(sources: Sources, { source, label, hint }: SourceProfile): string {
  return label ?? accountLabel(sources().get(source)?.label ?? source, hint);
}
