import { describe, expect, it } from 'vitest';
import { signInFor } from '../../../src/http/access/return-path.ts';

const ID = '00000000-0000-4000-8000-000000000000';

describe('the sign-in for an address', () => {
  it.each([
    '/',
    '/console',
    '/signed-in',
    '/approvals',
    `/approvals/${ID}`,
    `/approvals/${ID.toUpperCase()}`,
    `/oauth/consent/${'a'.repeat(43)}`,
  ])('leads back to a page: %s', (path) => {
    expect(signInFor(path)).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`);
  });

  it.each([
    '/sign-out',
    '/auth/session',
    '/auth/workspace/confirm',
    '/oauth/token',
    '/oauth/revoke',
    `/approvals/${ID}/result`,
    '/console/',
    '/console#chat',
    '/api-docs',
    '',
    '//evil.example',
    '/\\evil.example',
    '/%2f%2fevil.example',
    '%2f%2fevil.example',
    '/approvals/',
    '/approvals\r\nset-cookie: a=b',
    '/approvals\n',
    '/approvals%0d%0a',
    '/approvals?next=//evil.example',
    '/approvals#//evil.example',
    '/APPROVALS',
    'https://evil.example/approvals',
    `/oauth/consent/${'a'.repeat(44)}`,
  ])('has no way back to what is no page of its own: %j', (path) => {
    expect(signInFor(path)).toBe('/sign-in');
  });
});
