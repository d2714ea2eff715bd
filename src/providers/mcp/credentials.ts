import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** Tokens of a grant, as the vault keeps them: JSON texts that only this module makes and reads. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
}

const access = z.object({
  /** The server's address: what is in here goes nowhere else. */
  url: z.string(),
  /** Of `auth: header`. */
  header: z.object({ name: z.string(), value: z.string() }).optional(),
  /** Of `auth: oauth`. */
  token: z.string().optional(),
});

const refresh = z.object({
  source: z.string(),
  url: z.string(),
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  clientId: z.string(),
  clientAuth: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  resource: z.string(),
  scope: z.string(),
  /** undefined: the server gave none. */
  refreshToken: z.string().optional(),
  /** To be revoked with it. */
  accessToken: z.string(),
});

/** What a server receives with each request; `none`: neither header nor token. */
export type AccessCredential = z.infer<typeof access>;
/** What another access token is requested with. The secret of the client belongs to the service and is not in here. */
export type RefreshCredential = z.infer<typeof refresh>;

/** The access token of a grant. Also for sources with `auth: header` and `auth: none`, which have no refresh token. */
export function accessCredential(credential: AccessCredential): string {
  return JSON.stringify(credential);
}

export function refreshCredential(credential: RefreshCredential): string {
  return JSON.stringify(credential);
}

/** @throws AppError `reauth_required` when it was not made here */
export function readAccess(text: string): AccessCredential {
  return read(access, text) ?? unreadable();
}

/** @returns undefined: it is no refresh token of this provider */
export function readRefresh(text: string): RefreshCredential | undefined {
  return read(refresh, text);
}

function read<S extends z.ZodType>(schema: S, text: string): z.output<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function unreadable(): never {
  throw new AppError('reauth_required', 'This connection can’t be read. Connect it again.');
}
