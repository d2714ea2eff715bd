import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { InternalHosts } from '../config/config.ts';
import { AppError } from '../errors.ts';

type Address = ReturnType<typeof ipaddr.process>;
export const NO_INTERNAL_HOSTS: InternalHosts = { names: new Set(), ranges: [] };

/** Of IPv6, only 2000::/3 is assigned so far (RFC 4291, 2.4). */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');
/** What a listed host may have: addresses of this machine and of private networks (RFC 6890). */
const PRIVATE = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/** Services of a cloud's own host, which give credentials to whoever asks: also where they are at private or public addresses. */
const HOST_SERVICES = new Set(['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']);

/** Whether a host may be spoken to by plain http by its name alone. */
export function isListed({ names, ranges }: InternalHosts, hostname: string): boolean {
  return names.has(hostname) || (isIP(hostname) !== 0 && isInside(ranges, ipaddr.process(hostname)));
}

/**
 * @param address of a host, as a connection is made to it
 * @param hostname that it was looked up for
 * @throws AppError `forbidden` for an address that is not in the public internet (RFC 6890), and not the operator's
 */
export function assertReachable(address: string, hostname: string, internal: InternalHosts): void {
  // An IPv4 address written as IPv6 is judged as what it is.
  if (isIP(address) !== 0 && isAllowed(ipaddr.process(address), hostname, internal)) return;
  throw new AppError('forbidden', 'The host is not in the public internet, and the operator hasn’t listed it.');
}

/** @throws AppError `forbidden` for an address that is not in the public internet (RFC 6890) */
export function assertPublic(address: string): void {
  assertReachable(address, '', NO_INTERNAL_HOSTS);
}

function isAllowed(address: Address, hostname: string, { names, ranges }: InternalHosts): boolean {
  if (HOST_SERVICES.has(address.toString())) return false;
  if (isGlobal(address)) return true;
  return PRIVATE.has(address.range()) && (names.has(hostname) || isInside(ranges, address));
}

function isGlobal(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_V6));
}

function isInside(ranges: InternalHosts['ranges'], address: Address): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
