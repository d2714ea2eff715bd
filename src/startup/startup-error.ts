import { KeyServiceFault } from '../crypto/aws-kms.ts';
import { AppError, StartRefused } from '../errors.ts';
import { describeError } from '../observability/logger.ts';

/**
 * What to tell the operator when the service or a command ends with an error: one message that says what to do where
 * that is known, and holds no secret.
 *
 * @param otherwise begins the message of an error that nobody foresaw
 */
export function startupError(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    const { address, port } = error as { address?: string; port?: number };
    return `The port is taken by another program: ${port} at ${address}. Stop that one, or set PORT to a free one (PORT=0 takes any).`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES')
    return `HOST and PORT can’t be listened on (${code}): is the address this machine’s, and the port allowed?`;
  if (error instanceof AppError && error.cause instanceof KeyServiceFault) {
    return `The key service can’t be used: ${error.cause.message}. Check the key’s state and policy, this machine’s credentials, and the way to the service.`;
  }
  if (error instanceof AppError && error.code === 'unavailable') {
    const reason = error.cause instanceof Error ? error.cause.message || String('code' in error.cause && error.cause.code) : 'no answer';
    return `The database can’t be reached: ${reason}. Is it running, and is DATABASE_URL right?`;
  }
  if (error instanceof StartRefused) return error.message;
  return `${otherwise}\n${JSON.stringify(describeError(error), null, 2)}`;
}
