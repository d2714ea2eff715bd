import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { Express } from 'express';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** Internet providers assign a /64 network to each customer. */
const IPV6_NETWORK_BYTES = 8;

/** The client address as limits count it, also for an upgrade, which does not pass through the app. */
export function addressOf(app: Express, { headers, socket }: IncomingMessage): string {
  // Express's `ip` reads only these two properties.
  const request: Express['request'] = Object.create(app.request, { headers: { value: headers }, socket: { value: socket } });
  return networkOfRequest(request);
}

/** The key of a request's client; X-Forwarded-For is evaluated by Express. */
export function networkOfRequest(request: Express['request']): string {
  const { remoteAddress } = request.socket;
  return networkOf(request.headers['x-forwarded-for'] === undefined ? remoteAddress : request.ip, remoteAddress);
}

/**
 * One key for each client: the IPv4 address, also if it is written as IPv6 (RFC 4291, 2.5.5.2), or the /64 network of an IPv6 address.
 *
 * @param ip of the client according to the trusted proxies; if it is not an address, `peer` is used
 */
export function networkOf(ip: string | undefined, peer: string | undefined): string {
  // The usual case: parsing would cost more than counting.
  if (ip !== undefined && isIPv4(ip)) return ip;
  const address = parsed(ip) ?? parsed(peer);
  if (address === undefined) return '';
  if (address.kind() === 'ipv4') return address.toString();
  return `${Buffer.from(address.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex')}/64`;
}

/** The text may come from a client's header, and the library may reject an address that Node accepts. */
function parsed(text: string | undefined): IPv4 | IPv6 | undefined {
  if (text === undefined || isIP(text) === 0) return undefined;
  try {
    return ipaddr.process(text);
  } catch {
    return undefined;
  }
}
