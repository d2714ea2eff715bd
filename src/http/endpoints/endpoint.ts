import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { FirstParty, Principal } from '../../principal.ts';
import type { AuthKind } from '../access/require-credential.ts';
import type { Page } from '../pages/own-page.ts';

export type { Request, RequestHandler, Response };

/**
 * What a handler returns: the JSON body of a 200 (with `cacheSeconds`, one that anyone may keep), a redirect (of a browser's form: a page that navigates), a page of the
 * service's own, another HTML document with its content security policy, nothing, or batches of server-sent events until they
 * or the connection end.
 */
export type Reply<Body> =
  | { json: Body; cacheSeconds?: number }
  | { redirect: string; status?: 302 | 303 }
  | { page: Page; status?: number }
  | { html: string; policy: string }
  | { empty: 204 }
  | { events: (signal: AbortSignal) => AsyncIterable<readonly string[]>; headers: Readonly<Record<string, string>> };

/** Requests that have a limit of their own: health probes, waitlist entries, and requests that lead to a provider. */
export type LimitName = 'probe' | 'waitlist' | 'provider';

type Fields = z.ZodObject;
type Parsed<S extends Fields | undefined> = S extends Fields ? z.output<S> : Record<string, never>;

type CallerOf<Auth extends AuthKind> = Auth extends 'id_token' | 'in_person' | 'first_party'
  ? FirstParty
  : Auth extends 'credential'
    ? Principal
    : undefined;

export interface Input<P extends Fields | undefined, Q extends Fields | undefined, F extends Fields | undefined, Auth extends AuthKind> {
  params: Parsed<P>;
  query: Parsed<Q>;
  form: Parsed<F>;
  caller: CallerOf<Auth>;
  request: Request;
  response: Response;
}

export interface Endpoint<
  P extends Fields | undefined = Fields | undefined,
  Q extends Fields | undefined = Fields | undefined,
  F extends Fields | undefined = Fields | undefined,
  A extends z.ZodType = z.ZodType,
  Auth extends AuthKind = AuthKind,
> {
  /** The body of a `patch` is a JSON merge patch (RFC 7396). */
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Express path, e.g. `/auth/bank/accounts/:account_id`. */
  path: string;
  /** Its group in the OpenAPI document; left out: the router's. */
  tag?: string;
  summary: string;
  description?: string;
  /**
   * `id_token`: the Authorization header carries a verified ID token; `in_person`: the same, and the token of a client is
   * forbidden rather than invalid; `credential`: an ID token, or a personal access token;
   * `first_party`: an ID token, at an address that a person opens: without a session, a browser is led to the sign-in. Each
   * admits the session of the service's own pages in place of the header; its changes need the CSRF token.
   */
  auth: Auth;
  /** Path parameters; a mismatch is 404, like an unknown id. */
  params?: P;
  /** Strict, so that a misspelt field is an error; not strict where a provider writes the query. */
  query?: Q;
  /** Body fields, urlencoded or JSON; strict. */
  form?: F;
  /** Instead of a form: a raw JSON body of up to `limit` bytes, and the header with its signature. */
  signed?: { limit: number; header: string };
  /** The form is sent as JSON in up to `limit` bytes, and only with `orForm` also urlencoded; as it was sent, it is `request.body`. */
  json?: { limit: number; orForm?: boolean };
  /** Body of the 200, or of `status`; fields that it does not name are not sent. */
  response?: A;
  /** Of a response that says that something was made, or will be done. */
  status?: 201 | 202;
  /** Lists of the body, an object, may be so long that it is made in several turns of the event loop. */
  isLarge?: A extends z.ZodObject ? boolean : never;
  /** The 200 is a stream of server-sent events, which this describes. */
  stream?: string;
  /** Further documented responses that are not JSON: pages, redirects, 204; status → description. */
  pages?: Record<number, string>;
  /** Besides those that follow from the declaration. */
  errors?: readonly ErrorCode[];
  /** For a person's browser: errors may be pages; HEAD and prefetch requests are rejected. */
  browser?: boolean;
  /**
   * Exempt from admission: it completes a flow, revokes something, or is for operators. Deletions always are.
   */
  essential?: true;
  /** A limit for each client address besides the general one; `provider` also has one for each user. */
  limit?: LimitName;
  handle: (input: Input<P, Q, F, Auth>) => Promise<Reply<z.input<A>>>;
}

/** Declares an endpoint: an identity function that lets TypeScript infer the handler's types from the schemas. */
export function endpoint<
  A extends z.ZodType = z.ZodNever,
  P extends Fields | undefined = undefined,
  Q extends Fields | undefined = undefined,
  F extends Fields | undefined = undefined,
  Auth extends AuthKind = 'none',
>(definition: Endpoint<P, Q, F, A, Auth>): Endpoint {
  return definition as unknown as Endpoint;
}

/** Schema and reply of endpoints that return no data. */
export const success = z.object({ success: z.literal(true) }).meta({ id: 'Success' });
export const SUCCEEDED = { json: { success: true } } as const;

/** Aborts when the response has been sent, or its client has left before. */
export function leavingSignal(response: Response): AbortSignal {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  return leaving.signal;
}
