import type { UIMessage } from 'ai';
import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import { AppError } from '../../errors.ts';
import { CHOSEN_ID } from './chat-request.ts';
import type { MessageRow, NewMessage } from './messages-repository.ts';

/** A message of a thread. */
export interface StoredMessage {
  /** In the thread, from 1, without gaps. */
  position: number;
  createdAt: Date;
  message: UIMessage;
}

type MessageOf = { userId: string; threadId: string };

/** Of a message's parts and metadata as JSON. */
const MAX_BYTES = 4_000_000;

/** @throws AppError `invalid_request` for an id or a role that can't be stored, `too_large` */
export function sealMessage(key: DataKey, of: MessageOf, { id, role, parts, metadata }: UIMessage): NewMessage {
  if (!CHOSEN_ID.test(id)) throw new AppError('invalid_request', 'The id of a message must have 1 to 64 letters, digits, "_" and "-".');
  if (role === 'system') throw new AppError('invalid_request', 'A message must be the user’s or the assistant’s.');
  const content = Buffer.from(JSON.stringify({ parts, metadata }));
  if (content.length > MAX_BYTES) throw new AppError('too_large', `A message may have at most ${MAX_BYTES} bytes.`);
  return { id, role, content: seal(key, associatedData(of, id), content) };
}

/** @throws AppError `internal` when it can't be decrypted */
export function openMessage(key: DataKey, of: MessageOf, { id, role, content }: NewMessage): UIMessage {
  const stored = JSON.parse(open(key, associatedData(of, id), content).toString('utf8')) as Pick<UIMessage, 'parts' | 'metadata'>;
  return { id, role, ...stored };
}

export function toStored({ position, createdAt }: MessageRow, message: UIMessage): StoredMessage {
  return { position, createdAt, message };
}

function associatedData({ userId, threadId }: MessageOf, id: string): AssociatedData {
  return { table: 'messages', column: 'content', userId, rowId: `${threadId} ${id}` };
}
