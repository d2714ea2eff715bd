import { AUTH_METHODS } from './clients/client-metadata.ts';

/** Paths below PUBLIC_URL. */
export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  consent: '/oauth/consent',
  /** RFC 8414, 3. */
  metadata: '/.well-known/oauth-authorization-server',
  /** The one resource that tokens are for. */
  resource: '/mcp',
} as const;

/** `write` includes `read`. */
export const SCOPES = ['read', 'write'] as const;

/** Authorization server metadata (RFC 8414, 2), which depends on nothing but the address. */
export function metadataOf(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + PATHS.authorize,
    token_endpoint: publicUrl + PATHS.token,
    registration_endpoint: publicUrl + PATHS.register,
    revocation_endpoint: publicUrl + PATHS.revoke,
    jwks_uri: publicUrl + PATHS.jwks,
    scopes_supported: [...SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    code_challenge_methods_supported: ['S256'],
    // RFC 9207.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [publicUrl + PATHS.resource],
  };
}
