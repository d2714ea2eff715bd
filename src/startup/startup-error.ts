import { KeyServiceFault } from '../crypto/aws-kms.ts';
import { AppError, StartError } from '../errors.ts';
import { describeError } from '../observability/logger.ts';

/**
 * The message for the operator when the service or a command ends with an error. It says what to do if that is known,
 * and contains no secret.
 *
 * @param otherwise first line of the message for an unexpected error
 */
export function startupError(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    const { address, port } = error as { address?: string; port?: number };
    return `The port is taken by another program: ${port} at ${address}. Stop that program, or set PORT to a free port (PORT=0 uses any).`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
    return `HOST and PORT can’t be listened on (${code}): check that HOST is an address of this machine (::1, without brackets), and that the port is permitted.`;
  }
  if (error instanceof AppError && error.cause instanceof KeyServiceFault) {
    return `The key service can’t be used: ${error.cause.message}. Check the key’s state and policy, the credentials of this machine, and the network.`;
  }
  if (error instanceof AppError && error.code === 'unavailable') {
    const reason = error.cause instanceof Error ? error.cause.message || String('code' in error.cause && error.cause.code) : 'no response';
    return `The database can’t be reached: ${reason}. Check that it is running and that DATABASE_URL is correct.`;
  }
  if (error instanceof StartError) return error.message;
  return `${otherwise}\n${JSON.stringify(describeError(error), null, 2)}`;
}
