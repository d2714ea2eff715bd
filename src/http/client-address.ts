import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { Express } from 'express';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** What providers of access give to one customer, who has all of its addresses. */
const IPV6_NETWORK_BYTES = 8;

/** Whose request it is, as limits count it; also for one that doesn't pass through the app: an upgrade. */
export function addressOf(app: Express, { headers, socket }: IncomingMessage): string {
  // Who is behind which proxy is Express's to say; its `ip` looks at nothing but these two.
  const request: Express['request'] = Object.create(app.request, { headers: { value: headers }, socket: { value: socket } });
  return networkOf(request.ip, socket.remoteAddress);
}

/**
 * One key for each address: IPv4 as it stands, however it is written (RFC 4291, 2.5.5.2), IPv6 by its network of /64.
 *
 * @param ip of the client, as the trusted proxies have it; where that is no address, the peer's counts
 */
export function networkOf(ip: string | undefined, peer: string | undefined): string {
  // Most are: parsing would cost more than counting.
  if (ip !== undefined && isIPv4(ip)) return ip;
  const address = parsed(ip) ?? parsed(peer);
  if (address === undefined) return '';
  if (address.kind() === 'ipv4') return address.toString();
  return `${Buffer.from(address.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex')}/64`;
}

/** Node and the library need not agree on what an address is, and a header of the client's may have brought this one. */
function parsed(text: string | undefined): IPv4 | IPv6 | undefined {
  if (text === undefined || isIP(text) === 0) return undefined;
  try {
    return ipaddr.process(text);
  } catch {
    return undefined;
  }
}
