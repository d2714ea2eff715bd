import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import { singleLine } from '../shared/display-text.ts';

/** The fields of the provider's responses that are used; all others are dropped. */
export const messageList = z.object({
  // Absent if nothing matches.
  messages: list(z.object({ id: identifier })).default([]),
  nextPageToken: identifier.optional(),
});

export const gmailMessage = z.object({
  id: identifier,
  threadId: identifier,
  labelIds: list(z.string().max(255), 500).default([]),
  snippet: z.string().default(''),
  /** Milliseconds since 1970. */
  internalDate: z.string().regex(/^-?\d{1,15}$/),
  /** A tree of parts of any depth; see mail-parts.ts. */
  payload: z.unknown().optional(),
});

export type GmailMessage = z.output<typeof gmailMessage>;

/** The messages are validated when they are read. */
export const gmailThread = z.object({ id: identifier, messages: unchecked.refine((messages) => messages.length > 0) });

export const gmailHeaders = z.object({ payload: z.unknown().optional(), threadId: identifier });

export const gmailAttachment = schemaReader(import.meta.url, 'gmailAttachment', z.object({ data: z.string() }));

export const savedMessage = z.object({ id: identifier, threadId: identifier });

export const draftList = z.object({
  // Absent if there are none.
  drafts: list(z.object({ id: identifier, message: z.object({ id: identifier }) })).default([]),
  nextPageToken: identifier.optional(),
});

export const savedDraft = z.object({ id: identifier, message: savedMessage });

export const changed = z.object({ id: identifier });

export const labelList = z.object({
  labels: list(z.object({ id: identifier, name: singleLine, type: singleLine.default('user') })).default([]),
});

/**
 * The response of a request that names an item. The provider responds with 400 to malformed ids.
 *
 * @throws AppError `not_found` for an unknown id in this field; any other error unchanged
 */
export async function orNotFound<Response>(field: string, response: Promise<Response>, what = 'message or thread'): Promise<Response> {
  try {
    return await response;
  } catch (error) {
    const isUnknown = error instanceof WorkspaceApiError && (error.httpStatus === 404 || error.httpStatus === 400);
    throw isUnknown ? new AppError('not_found', `${field}: There is no such ${what} in this account.`, { cause: error }) : error;
  }
}
