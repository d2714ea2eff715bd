import { z } from 'zod';
import { AppError } from '../errors.ts';

const requestId = z.string().max(64);

const authenticate = z.object({
  type: z.literal('authenticate'),
  requestId,
  token: z.string().min(1).max(8192),
});

export type AuthenticateFrame = z.infer<typeof authenticate>;

/** Close codes of steward.v1. */
export const CLOSE = { frame: 4400, authentication: 4401, rate: 4429, restart: 1012, tryAgain: 1013 } as const;

/**
 * Parses a client's frame.
 *
 * @returns the frame, or the `requestId` to answer an error to
 */
export function parseFrame(text: string): AuthenticateFrame | { refused: string; requestId: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: 'The frame is not JSON.', requestId: '' };
  }
  const parsed = authenticate.safeParse(value);
  if (parsed.success) return parsed.data;
  const id = z.object({ requestId }).safeParse(value);
  return { refused: 'The frame is not one of steward.v1.', requestId: id.success ? id.data.requestId : '' };
}

/** Any error as a frame: the code and a message for people, nothing internal. */
export function errorFrame(id: string, error: unknown): string {
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side.');
  const retryable = known.status === 503 || known.status === 429 || known.status === 504;
  return JSON.stringify({ type: 'error', requestId: id, errorText: known.message, error: { code: known.code, retryable } });
}
