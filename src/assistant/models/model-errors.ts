import { APICallError, RetryError } from 'ai';
import { AppError } from '../../errors.ts';

/**
 * What a user is shown of a model's failure. The provider's own words may contain the key, or what the model was sent, so they
 * are not part of it.
 */
export function modelError(thrown: unknown, name: string): AppError {
  if (thrown instanceof AppError) return thrown;
  if (RetryError.isInstance(thrown)) return modelError(thrown.lastError, name);
  if (!APICallError.isInstance(thrown)) return new AppError('provider_error', `The answer of the model ${name} could not be read.`);
  const { statusCode, responseHeaders } = thrown;
  switch (statusCode) {
    case 401:
    case 403:
      return new AppError('not_configured', `The provider of the model ${name} refused its key. The operator has to correct it.`);
    case 404:
      return new AppError('not_configured', `The provider of the model ${name} doesn’t know it. The operator has to correct MODELS.`);
    case 413:
      return new AppError('too_large', `This conversation is too long for the model ${name}.`);
    case 429: {
      const seconds = Number(responseHeaders?.['retry-after']);
      const retryAfter = Number.isFinite(seconds) ? { retryAfter: Math.ceil(seconds) } : {};
      return new AppError('rate_limited', `The provider of the model ${name} takes no more requests for now.`, retryAfter);
    }
    case undefined:
      return new AppError('provider_error', `The model ${name} could not be reached.`);
    default:
      return new AppError('provider_error', `The provider of the model ${name} answered with status ${statusCode}.`);
  }
}

/** What the log has of it. */
export function modelFailure(thrown: unknown): { error: string; status?: number } {
  if (RetryError.isInstance(thrown)) return modelFailure(thrown.lastError);
  const error = thrown instanceof Error ? thrown.name : typeof thrown;
  const status = APICallError.isInstance(thrown) ? thrown.statusCode : undefined;
  return { error, ...(status !== undefined && { status }) };
}
