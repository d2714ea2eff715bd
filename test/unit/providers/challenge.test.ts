import { expect, it } from 'vitest';
import { readChallenge } from '../../../src/outbound/challenge.ts';

const URL = 'https://a.example/metadata?x=1,2';

it.each<[string, string | null, Partial<ReturnType<typeof readChallenge>>]>([
  ['nothing', null, {}],
  ['no parameters', 'Bearer', {}],
  [
    'all in quotes',
    `Bearer error="insufficient_scope", scope="a b", resource_metadata="${URL}"`,
    { metadataUrl: URL, scope: 'a b', isScopeMissing: true },
  ],
  ['other spelling', `bearer Resource_Metadata = "${URL}" , SCOPE="a"`, { metadataUrl: URL, scope: 'a' }],
  [
    'words without quotes',
    'Bearer error=insufficient_scope, scope=a, resource_metadata=https://a.example/m',
    { metadataUrl: 'https://a.example/m', scope: 'a', isScopeMissing: true },
  ],
  [
    'several challenges',
    `Basic realm="x, y", DPoP algs="ES256", Bearer scope="a", resource_metadata="${URL}"`,
    { metadataUrl: URL, scope: 'a' },
  ],
  ['parameters within a quoted text', 'Bearer realm="say \\"x\\", scope=all, error=insufficient_scope", scope="a"', { scope: 'a' }],
  ['the same twice', 'Bearer scope="a", Bearer scope="b"', { scope: 'a' }],
  ['an empty scope', 'Bearer scope=""', {}],
  ['a quote that never ends', `Bearer scope="a b, resource_metadata=https://a.example/m`, { metadataUrl: 'https://a.example/m' }],
  ['an error that only begins so', 'Bearer error="insufficient_scope_x"', {}],
])('a challenge with %s', (_what, header, expected) => {
  expect(readChallenge(header)).toEqual({ metadataUrl: undefined, scope: undefined, isScopeMissing: false, ...expected });
});
