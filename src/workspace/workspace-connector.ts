import { randomUUID } from 'node:crypto';
import { type Connector, type Exchanged, type FlowDeps, FlowRejection, type Granted } from '../connections/connector.ts';
import type { FlowRow } from '../connections/flows-repository.ts';
import { codeChallenge } from '../crypto/secrets.ts';
import { AppError } from '../errors.ts';
import type { WorkspaceProfile, WorkspaceProvider, WorkspaceTokens } from '../providers/workspace/workspace-provider.ts';
import { identifiesAccount, missingScopes } from '../providers/workspace/workspace-scopes.ts';
import { addressKey } from '../validation/email-address.ts';
import { upsertAccount } from './accounts-repository.ts';

const PROVIDER = 'workspace';

/** Connects workspace accounts (Google: OAuth 2.0 for web server applications). */
export function workspaceConnector(
  provider: WorkspaceProvider,
  { db, grants, emit }: Pick<FlowDeps, 'db' | 'grants' | 'emit'>,
): Connector<WorkspaceProfile> {
  return {
    provider: PROVIDER,
    confirmPath: '/auth/workspace/confirm',
    deadline: () => provider.deadline(),
    address: ({ email }, { state, nonce, verifier }) =>
      provider.authorizationUrl({ state, nonce, codeChallenge: codeChallenge(verifier), loginHint: email ?? undefined }),
    // Mix-up: a response of another issuer's must never reach our token endpoint (RFC 9207).
    isOfFlow: ({ iss }) => iss === undefined || iss === provider.issuer,
    async exchange(flow, { verifier, nonce }, { code }, signal, progress) {
      const tokens = await provider.exchange(code, verifier, nonce, signal, progress);
      if (!identifiesAccount(tokens.scopes)) return { refused: 'missing_scopes', tokens, subject: tokens.subject };
      progress.identified(tokens.subject);
      const profile = await provider.profile(tokens.accessToken, signal);
      progress.identified(tokens.subject ?? profile.subject);
      if (tokens.subject !== undefined && tokens.subject !== profile.subject) {
        // The two responses must be about one account (OpenID Connect Core, 5.3.2).
        throw new AppError('provider_error', 'The provider’s responses contradict each other.');
      }
      const stored = tokens.refreshToken ?? (await grants.storedRefreshToken(db, flow.userId, PROVIDER, profile.subject));
      if (stored === undefined) return { refused: 'no_refresh_token', tokens, subject: profile.subject };
      return exchanged(flow, tokens, profile);
    },
    subjectOf: async (_flow, { accessToken }) => (await provider.profile(accessToken, provider.deadline())).subject,
    warm: (userId, { subject }) => grants.storedRefreshToken(db, userId, PROVIDER, subject),
    async store(tx, { userId }, { tokens, profile }: Granted<WorkspaceProfile>) {
      const { subject, email, name, picture } = profile;
      const refreshToken = tokens.refreshToken ?? (await grants.storedRefreshToken(tx, userId, PROVIDER, subject));
      // The provider gave none, and the stored one is gone since the flow began.
      if (refreshToken === undefined) throw new FlowRejection('no_refresh_token');
      const { accessToken, scopes, expiresAt } = tokens;
      const grant = await grants.store(tx, {
        userId,
        provider: PROVIDER,
        subject,
        tokens: { accessToken, refreshToken },
        scopes,
        expiresAt,
      });
      const id = await upsertAccount(tx, { id: randomUUID(), grantId: grant.id, userId, email, name, picture });
      const about = { account: id, provider: PROVIDER };
      await emit(tx, userId, 'account.connected', about);
      if (grant.revived) await emit(tx, userId, 'account.status', { ...about, status: 'active' });
      return { id, missingScopes: missingScopes(scopes) };
    },
  };
}

function exchanged({ email }: FlowRow, tokens: WorkspaceTokens, profile: WorkspaceProfile): Exchanged<WorkspaceProfile> {
  return {
    granted: { tokens, profile },
    account: profile.email === '' ? profile.subject : profile.email,
    mismatch: email !== null && !(profile.emailVerified && addressKey(email.trim()) === addressKey(profile.email.trim())),
  };
}
