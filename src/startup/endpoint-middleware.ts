import type { Services } from '../context.ts';
import { admitted, authenticateWithin, limitBytesPerUser, limitPerAddress } from '../http/access/limits.ts';
import { requireCredentials } from '../http/access/require-credential.ts';
import { body } from '../http/bodies/body.ts';
import type { EndpointMiddleware } from '../http/endpoints/endpoint-router.ts';
import { Cookies } from '../http/pages/cookies.ts';

/** The middleware that endpoints choose from by their declarations, shared by all routers. */
export function endpointMiddleware(context: Services): EndpointMiddleware {
  const { clock, addresses, admission } = context;
  const { limits } = context.config;
  const credentials = authenticateWithin(clock, limits, {
    idToken: context.authenticateUser,
    any: context.authenticateAny,
    client: context.authenticateClient,
    firstParty: context.authenticateFirstParty,
    session: (secret) => context.webSessions.find(secret),
  });
  return {
    clock,
    ...credentials,
    requireCredential: requireCredentials(credentials, new Cookies(addresses.publicUrl), new URL(addresses.publicUrl).origin),
    parseBody: body(limits.bodyBytes, limits.formFields),
    limitBytes: limitBytesPerUser(clock, limits.socketBytesPerMinute),
    limits: {
      probe: limitPerAddress(clock, limits.probesPerMinute),
      waitlist: limitPerAddress(clock, limits.waitlistPerMinute),
      provider: limitPerAddress(clock, limits.providerRequestsPerMinute),
    },
    admit: admitted(admission),
  };
}
