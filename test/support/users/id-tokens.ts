import { AppError } from '../../../src/errors.ts';
import type { VerifyIdToken } from '../../../src/identity/verifier.ts';

/** A part of a token, as JSON. */
export function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The error with which a token is rejected. @throws any other result */
export async function rejectionOf(verify: VerifyIdToken, token: string): Promise<AppError> {
  const error: unknown = await verify(token).then(
    () => new Error('was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

/** Errors among the lines of a log. */
export function alarmsIn(log: readonly string[]): string[] {
  return log.filter((line) => JSON.parse(line).level >= 50);
}
