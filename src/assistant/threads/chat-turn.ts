import type { UIMessage } from 'ai';
import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { codeOfToolError } from '../../tools/tool-error.ts';
import { validate } from '../../validation/validate.ts';
import { type ChatRequest, clientMessage } from './chat-request.ts';
import type { StoredMessage } from './stored-message.ts';
import type { NewThread, Threads } from './threads.ts';

/** What a client asks for. Of its messages only the last one's id and text are used. */
export type ChatTurn =
  | { kind: 'message'; id: string; text: string; of?: NewThread }
  | { kind: 'regenerate'; id: string }
  | { kind: 'continue'; id: string };

/** @throws AppError `invalid_request`, `too_large` */
export function turnOf({ trigger, messages }: ChatRequest, maxBytes: number): ChatTurn {
  const { id, role, parts } = validate(clientMessage, messages.at(-1));
  if (role === 'assistant' && trigger === 'submit-message') return { kind: 'continue', id };
  if (role === 'assistant') throw new AppError('invalid_request', 'messages: the last one must be the user’s.');
  if (trigger === 'regenerate-message') return { kind: 'regenerate', id };
  const texts = parts.map((part) => {
    if (part.type !== 'text' || typeof part.text !== 'string')
      throw new AppError('invalid_request', 'messages: the assistant accepts text only.');
    return part.text;
  });
  const text = texts.join('\n');
  if (text.trim() === '') throw new AppError('invalid_request', 'messages: the last one must contain text.');
  if (Buffer.byteLength(text) > maxBytes) throw new AppError('too_large', `A message may have at most ${maxBytes} bytes.`);
  return { kind: 'message', id, text };
}

/** A thread, and what tells whether a tool may change something. */
export interface TurnScope {
  threads: Threads;
  userId: string;
  threadId: string;
  onlyReads(tool: string): boolean;
}

/** Applies a turn to a thread, within a transaction that has locked the user. @throws AppError `conflict`, `not_found` */
export async function applyTurn(scope: TurnScope, tx: Queryable, turn: ChatTurn): Promise<void> {
  const { threads, userId, threadId } = scope;
  if (turn.kind === 'message') await threads.begin(tx, userId, threadId, turn.of ?? { title: turn.text });
  const stored = await threads.messages(tx, userId, threadId);
  const last = stored.at(-1)?.message;
  if (turn.kind === 'continue') {
    if (last?.role !== 'assistant' || last.id !== turn.id) throw outdated();
    return;
  }
  const isKnown = stored.some(({ message }) => message.id === turn.id);
  if (turn.kind === 'regenerate' || isKnown) await dropAnswer(scope, tx, stored, turn.id);
  if (turn.kind !== 'message') return;
  const message: UIMessage = { id: turn.id, role: 'user', parts: [{ type: 'text', text: turn.text }] };
  if (isKnown) await threads.replace(tx, userId, threadId, message);
  else await threads.append(tx, userId, threadId, message);
}

/** Drops the answer to the user's last message, unless it has changed something or may do so yet. */
async function dropAnswer(
  { threads, userId, threadId, onlyReads }: TurnScope,
  tx: Queryable,
  stored: readonly StoredMessage[],
  id: string,
): Promise<void> {
  const index = stored.findLastIndex(({ message }) => message.role === 'user');
  if (stored[index]?.message.id !== id) throw outdated();
  const parts = stored.slice(index + 1).flatMap(({ message }) => message.parts);
  const changed = parts.some((part) => part.type === 'dynamic-tool' && !onlyReads(part.toolName) && mayHaveRun(part));
  if (changed) throw new AppError('conflict', 'The last answer has changed something, or waits for approval, so it can’t be replaced.');
  await threads.dropAfter(tx, userId, threadId, id);
}

function mayHaveRun({ state, errorText }: Extract<UIMessage['parts'][number], { type: 'dynamic-tool' }>): boolean {
  if (state === 'output-error') return codeOfToolError(errorText) === 'outcome_unknown';
  return state !== 'output-denied' && state !== 'input-streaming';
}

/** Another front end has gone on in the thread. */
export function outdated(): AppError {
  return new AppError('conflict', 'The conversation has gone on elsewhere. Load it again.');
}
