import { describe, expect, it } from 'vitest';
import { publishedHost, redirectTarget, reduceMetadata, usedMetadata } from '../../../src/oauth/clients/client-metadata.ts';
import { UNVERIFIED } from '../../../src/oauth/clients/unreachable-documents.ts';

const URIS = ['https://app.example.com/callback'];
const problemOf = (metadata: Record<string, unknown>) => reduceMetadata({ redirect_uris: URIS, ...metadata });

describe('a redirect URI', () => {
  it.each([
    'https://app.example.com/callback?a=b',
    'https://app.example.com:8443/callback',
    'https://[2001:db8::1]/callback',
    'http://127.0.0.1:9/callback',
    'http://localhost/callback',
    'http://[::1]:9/callback',
    'com.example.app:/callback',
    'com.example.app://callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscodium://saoudrizwan.claude-dev/callback',
    'code-oss://saoudrizwan.claude-dev/callback',
    'antigravity://saoudrizwan.claude-dev/callback',
    'warp://mcp/oauth2callback',
    'https://a_b.example.com/~',
    `https://app.example.com/${'a'.repeat(2_000 - 'https://app.example.com/'.length)}`,
  ])('%s is accepted', (uri) => {
    expect(problemOf({ redirect_uris: [uri] })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['no text', 1],
    ['no address', 'callback'],
    ['http elsewhere', 'http://app.example.com/'],
    ['a scheme without a dot', 'app://callback'],
    ['a script', 'javascript:alert(1)'],
    ['a fragment', 'https://app.example.com/#'],
    ['a user', 'https://user@app.example.com/'],
    ['a password', 'https://:secret@app.example.com/'],
    ['an empty user', 'https://@app.example.com/'],
    ['a user of a private-use scheme', 'com.example.app://user@callback'],
    ['a space', 'https://app.example.com/a b'],
    ['a control character', 'https://app.example.com/\u007f'],
    ['a backslash', 'https://app.example.com\\@evil.example/'],
    ['a letter beyond ASCII', 'https://äpp.example.com/'],
    ['a host that would be another directive', 'https://app.example.com;script-src/'],
    ['2,001 characters', `https://app.example.com/${'a'.repeat(2_001 - 'https://app.example.com/'.length)}`],
  ])('with %s is rejected', (_what, uri) => {
    expect(problemOf({ redirect_uris: [...URIS, uri] })).toMatch(/^redirect_uris must be https addresses/);
  });

  it.each([
    [undefined, /^redirect_uris must contain members$/],
    ['https://app.example.com/', /^redirect_uris must contain members$/],
    [[], /^redirect_uris must contain members$/],
    [Array(20).fill(URIS[0]), undefined],
    [Array(21).fill(URIS[0]), /^redirect_uris must have at most 20 members$/],
  ])('is one of 1 to 20', (uris, problem) => {
    const found = problemOf({ redirect_uris: uris });
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});

describe('a client’s name', () => {
  it.each<[unknown, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['n'.repeat(200), undefined],
    ['n'.repeat(201), 'client_name must have at most 200 characters'],
    ['a\u0000b', 'client_name must have no control characters'],
    ['a\nb', 'client_name must have no control characters'],
  ])('%j', (client_name, problem) => {
    expect(problemOf({ client_name })).toBe(problem);
  });
});

describe('metadata', () => {
  const reduced = (metadata: Record<string, unknown>) => {
    const all = { redirect_uris: URIS, ...metadata };
    expect(reduceMetadata(all)).toBeUndefined();
    return all as Record<string, unknown>;
  };

  it('is reduced to what is used here', () => {
    expect(reduced({ client_name: 'App', scope: 'x', logo_uri: 'https://x.example', jwks_uri: 'x', response_types: ['token'] })).toEqual({
      client_name: 'App',
      redirect_uris: URIS,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      id_token_signed_response_alg: 'ES256',
    });
  });

  it.each<[unknown, string[]]>([
    [undefined, ['authorization_code', 'refresh_token']],
    ['refresh_token', ['authorization_code', 'refresh_token']],
    [['authorization_code'], ['authorization_code']],
    [
      ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      ['authorization_code', 'refresh_token'],
    ],
    [[], ['authorization_code']],
  ])('with the grant types %j has %j', (grant_types, expected) => {
    expect(reduced({ grant_types }).grant_types).toEqual(expected);
  });

  it.each([
    ['https://client.example.com/metadata', 'client_secret_basic', 'none'],
    ['https://client.example.com/metadata', 'client_secret_post', 'client_secret_post'],
    ['a-registered-client', 'client_secret_basic', 'client_secret_basic'],
  ])('of %s with the method %s has %s', (client_id, token_endpoint_auth_method, expected) => {
    expect(reduced({ client_id, token_endpoint_auth_method }).token_endpoint_auth_method).toBe(expected);
  });
});

describe('metadata as it was sent', () => {
  it.each([[null], [''], [' '], [[]], [['']], [['', ' ', null]]])(
    'says nothing where it is %j, but for the redirect URIs',
    (nothing: unknown) => {
      const names = ['client_name', 'client_uri', 'grant_types', 'token_endpoint_auth_method', 'client_id', 'client_secret', 'scope'];
      const sent = { redirect_uris: [''], ...Object.fromEntries(names.map((name) => [name, nothing])) };
      expect(JSON.parse(usedMetadata(JSON.stringify(sent)))).toEqual({ redirect_uris: [''] });
      expect(JSON.parse(usedMetadata('{"redirect_uris":[]}'))).toEqual({ redirect_uris: [] });
    },
  );

  it.each(['["authorization_code",""]', '[0]', '[false]', '[[]]', '{}', '0'])('says something where it is %s', (value) => {
    expect(usedMetadata(`{"grant_types":${value}}`)).toBe(`{"grant_types":${value}}`);
  });

  const published = 'https://client.example.com/metadata';
  it.each<[string | undefined, unknown, unknown, unknown]>([
    [published, 'private_key_jwt', ['none', 'private_key_jwt'], 'none'],
    [published, 'private_key_jwt', ['client_secret_basic', 'none'], 'none'],
    [published, 'none', ['private_key_jwt'], 'none'],
    [published, 'private_key_jwt', ['private_key_jwt', 'client_secret_post'], 'private_key_jwt'],
    [published, 'client_secret_post', ['none'], 'none'],
    [undefined, 'private_key_jwt', ['tls_client_auth', 'client_secret_post', 'none'], 'client_secret_post'],
    [undefined, 'client_secret_basic', ['none'], 'client_secret_basic'],
    [undefined, undefined, ['none'], undefined],
    [undefined, 'private_key_jwt', 'none', 'private_key_jwt'],
    [undefined, 'private_key_jwt', [null, 1, ['none']], 'private_key_jwt'],
  ])('of %j with the method %j, or of %j, has the method %j', (client_id, method, offered, expected) => {
    const sent = { client_id, token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: offered };
    expect(JSON.parse(usedMetadata(JSON.stringify(sent)))).toEqual({ client_id, token_endpoint_auth_method: expected });
  });

  it.each(['null', '[]', '"x"', '{', ''])('that is no object is left as it is: %j', (json) => {
    expect(usedMetadata(json)).toBe(json);
  });

  it.each(['redirect_uris', 'grant_types', 'client_uri', 'client_name', 'x_unknown'])('may be nested deeply: %s', (name) => {
    for (const json of [nested(name, '[', ']'), nested(name, '{"a":', '}', '0')])
      expect(usedMetadata(json)).toBe(name === 'x_unknown' ? '{}' : json);
  });
});

const nested = (name: string, open: string, close: string, core = '') => `{"${name}":${open.repeat(20_000)}${core}${close.repeat(20_000)}}`;

describe('where a redirect leads', () => {
  it.each([
    ['https://app.example.com:8443/a', { name: 'app.example.com:8443', isLocal: false }],
    ['http://127.0.0.1:9/a', { name: '127.0.0.1:9', isLocal: true }],
    ['http://[::1]:9/a', { name: '[::1]:9', isLocal: true }],
    ['https://[2001:db8::1]/a', { name: '[2001:db8::1]', isLocal: false }],
    ['com.example.app:/a', { name: 'com.example.app:', isLocal: true }],
  ])('%s', (uri, target) => {
    expect(redirectTarget(uri)).toEqual(target);
  });
});

describe('the host at which a client has published its metadata', () => {
  it.each([
    ['https://client.example.com/metadata', 'client.example.com'],
    ['HTTPS://client.example.com:8443/metadata', 'client.example.com:8443'],
    ['http://client.example.com/metadata', undefined],
    ['https://', undefined],
    ['xhttps://client.example.com/', undefined],
    ['0e5b7a3c', undefined],
  ])('of %s is %s', (id, host) => {
    expect(publishedHost(id)).toBe(host);
  });
});

describe('what only the service itself says of a client', () => {
  it.each(['unverified', 'x', true, null, { toString: 'unverified' }, [UNVERIFIED]])('is dropped from its own metadata: %j', (steward) => {
    const metadata = { redirect_uris: URIS, steward };
    expect(reduceMetadata(metadata)).toBeUndefined();
    expect(metadata).not.toHaveProperty('steward');
  });

  it('is kept where the service said it', () => {
    const metadata = { redirect_uris: URIS, steward: UNVERIFIED };
    expect(reduceMetadata(metadata)).toBeUndefined();
    expect(metadata.steward).toBe(UNVERIFIED);
  });
});
