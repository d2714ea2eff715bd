import type { Request, RequestHandler } from 'express';
import type { Clock } from '../../clock/clock.ts';
import type { Limits } from '../../config/config.ts';
import { budgetOf, type Caller, type FirstParty, type Principal } from '../../principal.ts';
import type { Admission } from '../../rate-limit/admission.ts';
import { FixedWindowLimiter } from '../../rate-limit/fixed-window.ts';
import { networkOfRequest } from '../server/client-address.ts';
import type { Credentials } from './require-credential.ts';

/** Middleware: at most `limit` requests a minute from one address (an IPv6 /64 network counts as one). */
export function limitPerAddress(clock: Clock, limit: number): RequestHandler {
  const limiter = new FixedWindowLimiter(clock);
  return (request: Request, _response, next) => {
    limiter.take(networkOfRequest(request), limit);
    next();
  };
}

/** Middleware: refuses a request that a saturated process does not take on, by its caller or else by its address. */
export function admitted(admission: Admission): RequestHandler {
  return (request, response, next) => {
    const caller = response.locals.caller as Principal | undefined;
    const end = admission.begin(caller === undefined ? networkOfRequest(request) : budgetOf(caller));
    // A client that has left already: its `close` has been emitted.
    if (response.closed) end();
    else response.once('close', end);
    next();
  };
}

/**
 * Middleware, after the credential's: at most `perMinute` bytes of bodies a minute of one user.
 *
 * @returns makes it for an endpoint, by its largest body: one of unknown length counts as such
 */
export function limitBytesPerUser(clock: Clock, perMinute: number): (largest: number) => RequestHandler {
  const limiter = new FixedWindowLimiter(clock);
  return (largest) =>
    ({ headers }, response, next) => {
      // Without either header there is no body (RFC 9112, 6.3).
      const bytes = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : largest));
      // One that is too large for any minute is rejected by the parser, which knows why.
      limiter.take(budgetOf(response.locals.caller as Principal), perMinute, Math.min(bytes, perMinute));
      next();
    };
}

type PerUserLimits = Pick<Limits, 'userRequestsPerMinute' | 'userProviderRequestsPerMinute'>;

interface Verify {
  idToken(token: string | undefined): Promise<Caller>;
  /** An ID token or a personal access token. */
  any(token: string | undefined): Promise<Principal>;
  /** A client's token for /mcp. */
  client(header: string | undefined): Promise<Principal>;
  /** An ID token, not that of a client. */
  firstParty(header: string | undefined): Promise<Caller>;
  session(secret: string): Promise<FirstParty>;
}

/**
 * Adds the limits of users, whatever their addresses and clients, to the verification of their credentials. Those of
 * requests to providers protect the providers' own limits, which all users share.
 */
export function authenticateWithin(clock: Clock, limits: PerUserLimits, verify: Verify): Credentials {
  const requests = new FixedWindowLimiter(clock);
  const toProviders = new FixedWindowLimiter(clock);
  const counted = <Of extends Principal>(principal: Of, toProvider = false): Of => {
    const budget = budgetOf(principal);
    requests.take(budget, limits.userRequestsPerMinute);
    if (toProvider) toProviders.take(budget, limits.userProviderRequestsPerMinute);
    return principal;
  };
  return {
    authenticate: async (token, toProvider) => counted(await verify.idToken(token), toProvider),
    authenticateAny: async (token, toProvider) => counted(await verify.any(token), toProvider),
    authenticateClient: async (header) => counted(await verify.client(header)),
    authenticateFirstParty: async (header, toProvider) => counted(await verify.firstParty(header), toProvider),
    authenticateSession: async (secret, toProvider) => counted(await verify.session(secret), toProvider),
  };
}
