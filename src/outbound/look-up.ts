import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { AppError } from '../errors.ts';

export interface Address {
  address: string;
  family: number;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** Milliseconds for the first of two attempts. */
const NAME_SERVERS = { timeout: 1_000, tries: 2 };
/** Answers of name servers: there is no such name, or it has no address. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * A look-up for a connection, which is made to an address that was checked: a name that resolves otherwise a moment later
 * leads nowhere else.
 *
 * @param check throws for an address that no connection may be made to
 */
export function checkedLookup(
  resolve: (hostname: string) => ReturnType<Resolve>,
  check: (address: string, hostname: string) => void,
): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        try {
          for (const { address } of addresses) check(address, hostname);
          const [first] = addresses;
          if (first === undefined) throw new AppError('forbidden', 'The host has no address.');
          if (all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        } catch (error) {
          callback(error as Error, '', 0);
        }
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/**
 * Asks the name servers until the signal. getaddrinfo, which Node uses otherwise, can't be stopped, and its look-ups at slow
 * name servers would keep those of the whole process waiting.
 *
 * @throws Error with a code of getaddrinfo: `ENOTFOUND`, or `EAI_AGAIN` when no name server has answered
 */
export async function resolveAll(hostname: string, signal: AbortSignal, resolver = new Resolver(NAME_SERVERS)): Promise<Address[]> {
  signal.throwIfAborted();
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  signal.removeEventListener('abort', cancel);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }));
  const [cause] = answers.flatMap((answer) => (answer.status === 'rejected' && !NO_ADDRESS.has(answer.reason.code) ? [answer.reason] : []));
  throw Object.assign(new Error(`${hostname} could not be resolved`, { cause }), { code: cause === undefined ? 'ENOTFOUND' : 'EAI_AGAIN' });
}
