import { AppError } from '../../errors.ts';

/** The result of `read`, or undefined if a stored secret cannot be decrypted (altered, or its key is gone). Other errors are thrown. */
export async function ignoreDecryptionFailure<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'internal') return undefined;
    throw error;
  }
}
