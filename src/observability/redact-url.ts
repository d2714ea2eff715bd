/** No part of an address of ours is as long; what somebody put there by mistake may be a token. */
const LONG_PART = /[^/]{41,}/g;
/** A JWT, whose header is JSON, or its beginning. */
const JWT = /ey[JI][^/]*/g;
const LONGEST = 200;

/** A path as the log may show it: without its query, and without what may be a secret. */
export function redactPath(path: string): string {
  const [own = ''] = path.split(/[?#]/, 1);
  return own.replace(LONG_PART, '…').replace(JWT, '…').slice(0, LONGEST);
}

/** An address from outside as the log may show it: one line of scheme, host and path, whatever it holds. */
export function redactUrl(address: string): string {
  const url = URL.parse(address.slice(0, 10 * LONGEST));
  if (url === null) return 'no address';
  const shown = url.host === '' ? url.protocol : `${url.protocol}//${url.host}${url.pathname === '/' ? '' : redactPath(url.pathname)}`;
  return shown.slice(0, LONGEST);
}
