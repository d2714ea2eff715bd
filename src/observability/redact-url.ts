/** The service's own paths have no segment this long; one in a request may be a token. */
const LONG_PART = /[^/]{41,}/g;
/** A JWT or its beginning; its header is JSON. */
const JWT = /ey[JI][^/]*/g;
const LONGEST = 200;

/** A path for the log: without its query, and without segments that may be secrets. */
export function redactPath(path: string): string {
  const [own = ''] = path.split(/[?#]/, 1);
  return own.replace(LONG_PART, '…').replace(JWT, '…').slice(0, LONGEST);
}

/** An external address for the log: scheme, host and path in one line. */
export function redactUrl(address: string): string {
  const url = URL.parse(address.slice(0, 10 * LONGEST));
  if (url === null) return 'no address';
  const shown = url.host === '' ? url.protocol : `${url.protocol}//${url.host}${url.pathname === '/' ? '' : redactPath(url.pathname)}`;
  return shown.slice(0, LONGEST);
}
