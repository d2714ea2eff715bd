import type { AppError, ErrorCode } from '../errors.ts';

/** Why a call failed, as models and front ends are told. */
export type ToolFailure = Pick<AppError, 'code' | 'message'>;

/** The one form in which it is sent and stored. */
export function toolErrorText({ code, message }: ToolFailure): string {
  return `${code}: ${message}`;
}

/** The code of a {@link toolErrorText}. */
export function codeOfToolError(text: string): ErrorCode {
  return text.slice(0, text.indexOf(':')) as ErrorCode;
}
