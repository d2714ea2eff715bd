import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

export type { RequestHandler };

/** Who calls, as an ID token proved it. */
export interface Caller {
  userId: string;
  /** Verified e-mail address, or the issuer's subject where there is none: how pages name the user. */
  label: string;
  issuer: string;
  subject: string;
  /** When the user last signed in at the issuer (`auth_time`), seconds since 1970. */
  authTime: number | undefined;
  /** `iat` of the token, seconds since 1970. */
  issuedAt: number;
  /** `exp` of the token, seconds since 1970. */
  expiresAt: number;
}

/** What a handler answers: the JSON body of a 200, a redirect, or a page for people with its content security policy. */
export type Reply<Body> = { json: Body } | { redirect: string; status?: 302 | 303 } | { html: string; policy: string };

type Shape = z.ZodObject;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.output<S> : Record<string, never>;

export interface Input<
  P extends Shape | undefined,
  Q extends Shape | undefined,
  F extends Shape | undefined,
  Auth extends 'id_token' | 'none',
> {
  params: Parsed<P>;
  query: Parsed<Q>;
  form: Parsed<F>;
  caller: Auth extends 'id_token' ? Caller : undefined;
  request: Request;
  response: Response;
}

export interface Endpoint<
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
  F extends Shape | undefined = Shape | undefined,
  A extends z.ZodType = z.ZodType,
  Auth extends 'id_token' | 'none' = 'id_token' | 'none',
> {
  method: 'get' | 'post' | 'delete';
  /** Express path, e.g. `/auth/bank/accounts/:account_id`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** `id_token`: the Authorization header carries a verified ID token. */
  auth: Auth;
  /** Path parameters; a mismatch is 404, as an unknown id is. */
  params?: P;
  /** Strict, unless others write it: a misspelt field must not go unnoticed. */
  query?: Q;
  /** Body fields, urlencoded or JSON; strict as well. */
  form?: F;
  /** In place of a form: JSON of up to `limit` bytes, taken as it came, and the header that proves who sent it. */
  signed?: { limit: number; header: string };
  /** Body of the 200; what it doesn't name is not sent. */
  answer?: A;
  /** Further documented answers that are not JSON: status → what it means. */
  pages?: Record<number, string>;
  errors: readonly ErrorCode[];
  /** A person's browser comes here: errors may be pages; HEAD and prefetch are refused. */
  browser?: boolean;
  /** It leads to a provider: taken less often than others from one address, and of one user. */
  provider?: boolean;
  handle: (input: Input<P, Q, F, Auth>) => Promise<Reply<z.input<A>>>;
}

/** Defines an endpoint; the identity function that lets TypeScript infer the handler's types from the schemas. */
export function endpoint<
  A extends z.ZodType = z.ZodNever,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  F extends Shape | undefined = undefined,
  Auth extends 'id_token' | 'none' = 'none',
>(definition: Endpoint<P, Q, F, A, Auth>): Endpoint {
  return definition as unknown as Endpoint;
}

/** Body and reply of calls that have nothing else to say. */
export const success = z.object({ success: z.literal(true) });
export const SUCCEEDED = { json: { success: true } } as const;
