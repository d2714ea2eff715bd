import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID Connect issuer on loopback: discovery, one RS256 key, and ID tokens on demand. */
export interface Issuer {
  url: string;
  /** A fresh ID token of an hour. */
  sign(subject: string): Promise<string>;
  close(): void;
}

const KEY_ID = 'bench-1';

export async function startIssuer(audience: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 });
  const keys = [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const body = request.url === '/jwks' ? { keys } : { issuer: url, jwks_uri: `${url}/jwks` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    sign: (subject) =>
      new SignJWT({ email: `${subject}@example.com`, email_verified: true, auth_time: Math.floor(Date.now() / 1000) })
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
