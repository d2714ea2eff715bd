import { isLoopback } from '../../config/config.ts';
import { randomSecret } from '../../crypto/secrets.ts';

/** What is reported where there is no way to the internet, or no name service. */
const UNREACHABLE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);
/** In the metadata of a client whose document could not be fetched: a secret of this process, which no client can state. */
export const UNVERIFIED = randomSecret();

/**
 * In place of a client's document, in development on a machine without a way to the internet: a client on the same machine
 * has published nothing that would tell it from another program there, so that nothing is lost but its name. The user is
 * told that it wasn't checked.
 *
 * @param clientId the address of the document
 * @param error why it could not be fetched
 * @param redirectUri where the request wants to return
 * @returns undefined: the error stands
 */
export function unreachableDocument(clientId: string, error: unknown, redirectUri: string | undefined): Response | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const redirect = redirectUri === undefined ? null : URL.parse(redirectUri);
  if (!UNREACHABLE.has(code) || redirect?.protocol !== 'http:' || !isLoopback(redirect.hostname)) return undefined;
  const document = {
    client_id: clientId,
    client_name: new URL(clientId).hostname,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    steward: UNVERIFIED,
  };
  return Response.json(document);
}
