import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/provider-text.ts';
import { list, unchecked } from '../../providers/response-list.ts';
import { schemaReader } from '../../providers/responses.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import { singleLine } from '../display-text.ts';

/** What is read of the provider's answers; everything else in them is dropped. */
export const messageList = z.object({
  // Absent when nothing matches.
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
  /** A tree of parts, as deep as the sender liked; see mail-parts.ts. */
  payload: z.unknown(),
});

export type GmailMessage = z.output<typeof gmailMessage>;

/** Its messages are checked when they are read. */
export const gmailThread = z.object({ id: identifier, messages: unchecked.refine((messages) => messages.length > 0) });

export const gmailHeaders = z.object({ payload: z.unknown(), threadId: identifier });

export const gmailAttachment = schemaReader(import.meta.url, 'gmailAttachment', z.object({ data: z.string() }));

export const savedMessage = z.object({ id: identifier, threadId: identifier });

export const savedDraft = z.object({ id: identifier, message: savedMessage });

export const changed = z.object({ id: identifier });

export const labelList = z.object({
  labels: list(z.object({ id: identifier, name: singleLine(225), type: singleLine(50).default('user') })).default([]),
});

/** What it means that mail can't be read by the id in this field; any other error as it is. */
export function asUnknownMail(error: unknown, field: string): unknown {
  // 400 is its answer to an id of another shape than its own.
  const unknown = error instanceof WorkspaceApiError && (error.httpStatus === 404 || error.httpStatus === 400);
  return unknown ? new AppError('not_found', `${field}: There is no such mail in this account.`, { cause: error }) : error;
}
