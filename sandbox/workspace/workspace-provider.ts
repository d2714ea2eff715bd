import { join } from 'node:path';
import type { WorkspaceSettings } from '../../src/config/config.ts';
import type { EmulatorOptions } from '../emulator-options.ts';
import { AccountData } from '../google/account-data.ts';
import { Signer, type StoredKey } from '../identity/identity-keys.ts';
import { openStore } from '../store.ts';
import { ConsentDesk } from './workspace-consent.ts';
import { Grants, seedWorkspace } from './workspace-grants.ts';
import { type Behaviour, TokenEndpoint } from './workspace-token-endpoint.ts';

/** The emulator of the workspace provider. */
export type WorkspaceProvider = ReturnType<typeof createWorkspaceProvider>;

// Accounts are identified by subject and issuer, so the issuer contains no port.
const ISSUER = 'https://accounts.sandbox.invalid';
const CLIENT = { id: 'sandbox-client', secret: 'sandbox-secret' };
const TOKEN_LIFE_SECONDS = 3_599;

/** Opens the provider with the data in `directory`. */
export function createWorkspaceProvider(options: EmulatorOptions & { signingKey: StoredKey }) {
  const { publicUrl, selfUrl, controls } = options;
  const store = openStore(join(options.directory, 'workspace.json'), seedWorkspace);
  const grants = new Grants(store, controls);
  const signer = new Signer(options.signingKey);
  const behaviour: Behaviour = {
    tokenLifeSeconds: TOKEN_LIFE_SECONDS,
    reportedExpiresIn: undefined,
    rotation: 'off',
    omitRefreshToken: false,
    omitIdToken: false,
  };
  return {
    settings: settings(publicUrl, selfUrl),
    publicUrl,
    grants,
    desk: new ConsentDesk({ clientId: CLIENT.id, redirectUri: `${publicUrl}/auth/workspace/callback`, issuer: ISSUER, grants, controls }),
    tokenEndpoint: new TokenEndpoint({ client: CLIENT, issuer: ISSUER, grants, signer, controls, behaviour }),
    behaviour,
    /** Public keys of its ID tokens. */
    keySet: signer.keySet,
    controls,
    data: new AccountData({ directory: join(options.directory, 'content'), controls }),
  };
}

function settings(publicUrl: string, selfUrl: string): WorkspaceSettings {
  const root = `${selfUrl}/sandbox/workspace`;
  return {
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    authUrl: `${publicUrl}/sandbox/workspace/auth`,
    tokenUrl: `${root}/token`,
    userinfoUrl: `${root}/userinfo`,
    revokeUrl: `${root}/revoke`,
    apiUrl: `${root}/api`,
    issuer: ISSUER,
  };
}
