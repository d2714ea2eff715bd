import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config, InternalHosts } from './config.ts';
import { type Problems, withoutTrailingSlashes } from './config-problems.ts';
import type { Variables } from './environment.ts';

/** The identity provider. */
export function identity(env: Variables, problems: Problems): Config['identity'] {
  if (env.FIREBASE_PROJECT_ID !== undefined && env.OIDC_ISSUER !== undefined) {
    problems.add('OIDC_ISSUER', 'and FIREBASE_PROJECT_ID exclude each other');
  }
  if (env.FIREBASE_PROJECT_ID !== undefined) {
    const checkRevoked = env.GOOGLE_APPLICATION_CREDENTIALS !== undefined;
    return { kind: 'firebase', projectId: env.FIREBASE_PROJECT_ID, checkRevoked };
  }
  if (env.OIDC_ISSUER !== undefined) {
    const issuer = problems.issuer('OIDC_ISSUER', env.OIDC_ISSUER);
    if (env.OIDC_AUDIENCE === undefined) problems.add('OIDC_AUDIENCE', 'is missing: the client id that ID tokens are issued for');
    // The issuer is compared exactly; only the discovery address is normalized (OIDC Discovery 1.0, 4.1).
    const discoveryUrl = `${withoutTrailingSlashes(issuer)}/.well-known/openid-configuration`;
    return { kind: 'oidc', issuer, audience: env.OIDC_AUDIENCE ?? '', discoveryUrl };
  }
  if (env.OIDC_AUDIENCE !== undefined) problems.add('OIDC_ISSUER', 'is missing while OIDC_AUDIENCE is set');
  if (!problems.production) return 'sandbox';
  problems.add('FIREBASE_PROJECT_ID', 'is missing (or OIDC_ISSUER and OIDC_AUDIENCE): users could not sign in');
  return undefined;
}

/** The sign-in to the service's own pages. */
export function signIn(env: Variables, problems: Problems): Config['signIn'] {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, SIGN_IN_URL: pageUrl } = env;
  if (clientSecret !== undefined && clientId === undefined) problems.add('OIDC_CLIENT_ID', 'is missing while OIDC_CLIENT_SECRET is set');
  if (clientId !== undefined && env.OIDC_ISSUER === undefined)
    problems.add('OIDC_ISSUER', 'is missing while OIDC_CLIENT_ID is set (with Firebase, set SIGN_IN_URL instead)');
  if (clientId !== undefined && pageUrl !== undefined)
    problems.add('SIGN_IN_URL', 'and OIDC_CLIENT_ID exclude each other: remove one of them');
  if (pageUrl !== undefined) return { pageUrl: problems.exact('SIGN_IN_URL', pageUrl) };
  if (clientId !== undefined) return { clientId, clientSecret };
  const isSandbox = env.FIREBASE_PROJECT_ID === undefined && env.OIDC_ISSUER === undefined && !problems.production;
  return isSandbox ? 'sandbox' : undefined;
}

/**
 * The operator's own authorization server for MCP clients. Users are known by their issuer and subject, so it has to be the
 * one that signs them in.
 */
export function mcpIssuer({ MCP_ISSUER: issuer, OIDC_ISSUER: signsIn }: Variables, problems: Problems): Config['mcpIssuer'] {
  if (issuer === undefined) return undefined;
  if (issuer !== signsIn) problems.add('MCP_ISSUER', 'has to be OIDC_ISSUER: users are known by the issuer that signs them in');
  return { issuer, discoveryUrl: `${withoutTrailingSlashes(issuer)}/.well-known/openid-configuration` };
}

/** The workspace provider, with its own addresses or those that override them. */
export function workspace(env: Variables, problems: Problems): Config['workspace'] {
  if (env.GOOGLE_CLIENT_ID === undefined && env.GOOGLE_CLIENT_SECRET === undefined) {
    return problems.production ? undefined : 'sandbox';
  }
  if (env.GOOGLE_CLIENT_ID === undefined) problems.add('GOOGLE_CLIENT_ID', 'is missing while GOOGLE_CLIENT_SECRET is set');
  if (env.GOOGLE_CLIENT_SECRET === undefined) problems.add('GOOGLE_CLIENT_SECRET', 'is missing while GOOGLE_CLIENT_ID is set');
  return {
    issuer: problems.issuer('GOOGLE_ISSUER', env.GOOGLE_ISSUER),
    clientId: env.GOOGLE_CLIENT_ID ?? '',
    clientSecret: env.GOOGLE_CLIENT_SECRET ?? '',
    authUrl: problems.address('GOOGLE_AUTH_URL', env.GOOGLE_AUTH_URL),
    tokenUrl: problems.address('GOOGLE_TOKEN_URL', env.GOOGLE_TOKEN_URL),
    userinfoUrl: problems.address('GOOGLE_USERINFO_URL', env.GOOGLE_USERINFO_URL),
    revokeUrl: problems.address('GOOGLE_REVOKE_URL', env.GOOGLE_REVOKE_URL),
    apiUrl: problems.base('GOOGLE_API_URL', env.GOOGLE_API_URL),
  };
}

/** The aggregator's hosts. The SDK would use production for an unknown name. */
const BANK_HOSTS = {
  development: 'https://sandbox.plaid.com',
  production: 'https://production.plaid.com',
} as const;

/** The bank aggregator. */
export function bank(env: Variables, problems: Problems): Config['bank'] {
  if (env.PLAID_CLIENT_ID === undefined && env.PLAID_SECRET === undefined) {
    return problems.production ? undefined : 'sandbox';
  }
  if (env.PLAID_CLIENT_ID === undefined) problems.add('PLAID_CLIENT_ID', 'is missing while PLAID_SECRET is set');
  if (env.PLAID_SECRET === undefined) problems.add('PLAID_SECRET', 'is missing while PLAID_CLIENT_ID is set');
  const countries = env.PLAID_COUNTRY_CODES.map((code) => code.toUpperCase());
  if (countries.length === 0 || countries.some((code) => !/^[A-Z]{2}$/.test(code))) {
    problems.add('PLAID_COUNTRY_CODES', 'must be a list of two-letter country codes');
  }
  return {
    clientId: env.PLAID_CLIENT_ID ?? '',
    secret: env.PLAID_SECRET ?? '',
    baseUrl: problems.base('PLAID_BASE_URL', env.PLAID_BASE_URL ?? BANK_HOSTS[env.NODE_ENV]),
    countryCodes: countries,
    redirectUri: problems.exact('PLAID_REDIRECT_URI', env.PLAID_REDIRECT_URI),
    webhookUrl: webhookUrl(env.PUBLIC_URL),
    linkPageUrl: undefined,
  };
}

/** Addresses of this machine and of private networks (RFC 6890). */
const PRIVATE_RANGES = new Set(['unspecified', 'loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal']);
/** Names that no public DNS server resolves (RFC 6761, RFC 6762, RFC 8375). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/** Where the aggregator sends its webhooks: a public https address; it rejects or cannot reach any other. */
function webhookUrl(publicUrl: string | undefined): string | undefined {
  const url = URL.parse(publicUrl ?? '');
  if (url?.protocol !== 'https:' || !isPublicHost(url.hostname)) return undefined;
  return `${url.origin}/webhooks/bank`;
}

function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(address)) return hostname.includes('.') && !PRIVATE_NAME.test(hostname);
  return !PRIVATE_RANGES.has(ipaddr.process(address).range());
}

/** As they are listed: the address of IPv6 without brackets. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

/** In development, servers on this machine can be used as they are. */
export function internalHostsOf({ INTERNAL_HOSTS: items }: Pick<Variables, 'INTERNAL_HOSTS'>, problems: Problems): Config['internalHosts'] {
  const local = problems.production ? [] : LOOPBACK_HOSTS;
  return internalHosts([...items, ...local], () =>
    problems.add('INTERNAL_HOSTS', 'must be host names, addresses and ranges such as 10.1.0.0/16, separated by commas'),
  );
}

/**
 * Reads a list of hosts, by name or address, and of ranges (CIDR).
 *
 * @param refuse is called with each item that is none of them
 */
export function internalHosts(items: readonly string[], refuse: (item: string) => void): InternalHosts {
  const names = new Set<string>();
  const ranges: InternalHosts['ranges'][number][] = [];
  for (const item of items) {
    const host = hostOf(item);
    if (ipaddr.isValidCIDR(item) && !item.includes('%')) ranges.push(ipaddr.parseCIDR(item));
    else if (host !== undefined) names.add(host);
    else refuse(item);
  }
  return { names, ranges };
}

/** As in `URL.hostname`, without brackets. */
function hostOf(item: string): string | undefined {
  if (isIP(item) === 6 || /[/:@?#%]/.test(item)) return isIP(item) === 6 && !item.includes('%') ? ipaddr.parse(item).toString() : undefined;
  return URL.parse(`http://${item}`)?.hostname || undefined;
}
