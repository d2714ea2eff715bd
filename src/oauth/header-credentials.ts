const BASIC = /^basic +([\w+/-]+={0,2})$/i;

/** What a client says of itself in an Authorization header. */
export interface HeaderCredentials {
  /** As the library reads it, with one space (RFC 9110, 11.4: there may be more); undefined: it says no more than the id. */
  authorization: string | undefined;
  /** The client that has sent an empty secret. */
  id: string | undefined;
}

/**
 * The credentials of a client in a header (RFC 6749, 2.3.1). An empty secret is none, there as in a form: some libraries send
 * the id of a client without a secret so.
 */
export function headerCredentials(authorization: string | undefined): HeaderCredentials {
  const [, encoded = ''] = BASIC.exec(authorization ?? '') ?? [];
  const [id = '', secret, ...more] = Buffer.from(encoded, 'base64').toString().split(':');
  if (id === '' || secret !== '' || more.length > 0) return { authorization: authorization?.replace(/^(\S+) +/, '$1 '), id: undefined };
  return { authorization: undefined, id: new URLSearchParams(`id=${id}`).get('id') ?? undefined };
}
