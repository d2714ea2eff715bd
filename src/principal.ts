import { AppError } from './errors.ts';

/** On whose behalf a request is made: the user in person, or a client with a credential of its own. */
export interface Principal {
  userId: string;
  /** Verified mail address, or the issuer's subject if there is none; of a client its name. Pages show it. */
  label: string;
  /** `exp` of the credential, seconds since 1970. */
  expiresAt: number;
  /** Absent: the user in person. */
  clientId?: string;
  /** Of a client's credential that may only read, whatever the client may do. */
  access?: 'read';
}

/** The user in person, whom an ID token identifies. */
export interface Caller extends Principal {
  clientId?: never;
  issuer: string;
  subject: string;
  /** Verified; null: there is none. */
  email: string | null;
  /** `auth_time`: when the user last signed in at the issuer, seconds since 1970. */
  authTime: number | undefined;
  /** `iat` of the token, seconds since 1970. */
  issuedAt: number;
}

/** The user in person: by an ID token, or signed in at the service's own pages. */
export interface FirstParty extends Caller {
  /** Absent: by an ID token. */
  session?: {
    /** SHA-256 of the cookie's value. */
    secretHash: Buffer;
    /** What its forms send. */
    csrf: string;
  };
}

/**
 * Whose limits a caller's requests count towards: the user's own, or those of all of the user's clients together. A client
 * can't use up what the user needs to revoke it.
 */
export function budgetOf({ userId, clientId }: Pick<Principal, 'userId' | 'clientId'>): string {
  return clientId === undefined ? userId : `clients of ${userId}`;
}

/**
 * @param what is only for the user: `use the assistant`
 * @throws AppError `forbidden` for a client
 */
export function inPerson(principal: Principal, what: string): Principal {
  if (principal.clientId === undefined) return principal;
  throw new AppError('forbidden', `Only the user in person can ${what}.`);
}
