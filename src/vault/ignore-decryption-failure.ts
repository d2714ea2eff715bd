import { AppError } from '../errors.ts';

/** What `read` gives, or undefined where a stored secret doesn't open (altered, or its key is gone); other errors go on. */
export async function ignoreDecryptionFailure<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'internal') return undefined;
    throw error;
  }
}
