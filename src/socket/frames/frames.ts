import { z } from 'zod';
import { chatModel, chatRequest } from '../../assistant/threads/chat-request.ts';
import { asAppError } from '../../errors.ts';
import type { EventName } from '../../events/event-data.ts';
import { rememberDays } from '../../executor/policy/remember-days.ts';
import type { Principal } from '../../principal.ts';
import { isObject } from '../../validation/is-object.ts';
import { excessIn, LARGE_BYTES, parseLargeJson } from '../../validation/json-budget.ts';
import { nearestName } from '../../validation/nearest-name.ts';
import { check, uuid } from '../../validation/validate.ts';
import { shownName } from '../../validation/validation-messages.ts';
import { requestIdIn } from './request-id.ts';
import type { ResultOf, ServerFrame } from './server-frames.ts';

/** Identifies a request until its response; `""` is reserved for frames that no client requested. */
const requestId = z.string().min(1).max(64);
const MAX_TOKEN = 8192;
const MAX_CSRF_TOKEN = 100;

/**
 * Headers of the AI SDK's WebSocketChatTransport, one of whose frames may be a socket's first. Not strict: front ends add
 * headers of their own.
 */
const headers = z
  .object({ authorization: z.string().max(MAX_TOKEN).optional() })
  .optional()
  .catch(undefined);

/** Strict except for chat: a misspelt `account` or `idempotencyKey` must not be ignored. */
const input = z.custom<object>(isObject, 'must be an object').optional();

export const FRAMES = {
  authenticate: z
    .strictObject({
      type: z.literal('authenticate'),
      requestId,
      token: z.string().min(1).max(MAX_TOKEN).optional(),
      /** In place of a token: of the session that a page of the service's own origin has. */
      csrf_token: z.string().min(1).max(MAX_CSRF_TOKEN).optional(),
      /** `seq` of the last event received; later events are sent again. */
      since: z.int().min(0).optional(),
    })
    .refine(({ token, csrf_token }) => token !== undefined || csrf_token !== undefined, { path: ['token'], error: 'is required' })
    .refine(({ token, csrf_token }) => token === undefined || csrf_token === undefined, {
      path: ['csrf_token'],
      error: 'and token exclude each other',
    }),
  list: z.strictObject({ type: z.literal('list'), requestId }),
  call: z.strictObject({
    type: z.literal('call'),
    requestId,
    action: z.string().min(1).max(100),
    account: z.string().min(1).max(254).optional(),
    input,
    idempotencyKey: z.string().min(1).max(200).optional(),
  }),
  approvals: z.strictObject({ type: z.literal('approvals'), requestId }),
  approve: z.strictObject({
    type: z.literal('approve'),
    requestId,
    approvalId: uuid,
    approved: z.boolean(),
    input,
    rememberFor: rememberDays.optional(),
  }),
  approval_result: z.strictObject({ type: z.literal('approval_result'), requestId, approvalId: uuid }),
  abort: z.strictObject({ type: z.literal('abort'), requestId, id: z.string().max(64).optional() }),
  send: z.object({
    type: z.literal('send'),
    requestId,
    headers,
    ...chatRequest.shape,
    body: z.object({ model: chatModel }).optional(),
  }),
  resume: z.object({ type: z.literal('resume'), requestId, headers, id: chatRequest.shape.id }),
} as const;

const TYPES = Object.keys(FRAMES);

export type Frame = z.output<(typeof FRAMES)[keyof typeof FRAMES]>;
/** Frames that receive a stream of chunks. */
export type ChatFrame = Extract<Frame, { type: 'send' | 'resume' }>;
/** Frames that receive one response. */
export type RequestFrame = Extract<Frame, { type: 'list' | 'call' | 'approvals' | 'approve' | 'approval_result' }>;
/** Why a frame is invalid, and the `requestId` for the error (`''`: it has none). */
type InvalidFrame = { type: 'invalid'; requestId: string; reason: string; code?: 'invalid_request' | 'too_large' };
export type Incoming = Frame | InvalidFrame;

const NOT_JSON: InvalidFrame = { type: 'invalid', requestId: '', reason: 'The frame is not JSON.' };

/** Close codes of steward.v1. */
export const CLOSE = { frame: 4400, authentication: 4401, rate: 4429, restart: 1012, tryAgain: 1013 } as const;

/** Sent with {@link CLOSE.rate}: messages are counted per minute, and sockets of clients that disappeared are closed after little more. */
export const RETRY_SECONDS = 60;

/** Errors after which the same request may succeed. */
const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'rate_limited', 'provider_timeout']);

/** Whether a frame takes several turns of the event loop. @param maxBytes larger ones are not parsed at all */
export function isLargeFrame(data: Buffer, maxBytes: number): boolean {
  return data.length > Math.min(maxBytes, LARGE_BYTES);
}

/** Parses a client's frame, unless it is large. */
export function parseFrame(data: Buffer): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    return NOT_JSON;
  }
  return frameOf(value);
}

/**
 * Parses a client's large frame.
 *
 * @param maxBytes larger ones are not parsed at all
 */
export async function parseLargeFrame(data: Buffer, maxBytes: number): Promise<Incoming> {
  const refused = (code: 'invalid_request' | 'too_large', reason: string): InvalidFrame => {
    return { type: 'invalid', requestId: idOf({ requestId: requestIdIn(data) }), code, reason };
  };
  if (data.length > maxBytes) return refused('too_large', `The frame is larger than ${maxBytes} bytes.`);
  const excess = await excessIn(data);
  if (excess !== undefined) return refused(excess.code, `The frame has ${excess.reason}.`);
  return parseLargeJson(data).then(frameOf, () => NOT_JSON);
}

function frameOf(value: unknown): Incoming {
  if (!isObject(value)) return { type: 'invalid', requestId: '', reason: 'The frame must be an object with a type and a requestId.' };
  const { type } = value;
  if (!isKnown(type)) return { type: 'invalid', requestId: idOf(value), reason: unknownType(type) };
  const checked = check(FRAMES[type], value);
  return 'problem' in checked ? { type: 'invalid', requestId: idOf(value), reason: checked.problem } : checked.value;
}

function isKnown(type: unknown): type is keyof typeof FRAMES {
  return typeof type === 'string' && Object.hasOwn(FRAMES, type);
}

function idOf(value: Record<string, unknown>): string {
  const checked = check(requestId, value.requestId);
  return 'value' in checked ? checked.value : '';
}

function unknownType(type: unknown): string {
  if (typeof type !== 'string') return `type: ${type === undefined ? 'is required' : 'must be a string'}: one of ${TYPES.join(', ')}`;
  const nearest = nearestName(type, TYPES);
  return `type: ${shownName(type)} is unknown${nearest === undefined ? `, only ${TYPES.join(', ')}` : ` (did you mean ${nearest}?)`}`;
}

/** A frame as text; its type is that of the AsyncAPI document. */
function encode(frame: ServerFrame): string {
  return JSON.stringify(frame);
}

/** @param seq of the user's last event. @param maxBytes of a client's frame */
export function readyFrame(
  requestId: string,
  { userId, expiresAt }: Principal,
  { revision, seq, maxBytes }: { revision: string; seq: number; maxBytes: number },
): string {
  const until = new Date(expiresAt * 1000).toISOString();
  return encode({ type: 'ready', requestId, protocol: 'steward.v1', uid: userId, revision, expiresAt: until, seq, maxBytes });
}

export function resultFrame(requestId: string, { data, meta }: ResultOf<'call'>): string {
  return encode({ type: 'result', requestId, data, meta });
}

/** An error as a frame, without internal details. */
export function errorFrame(requestId: string, error: unknown): string {
  const { code, message, retryAfter, details } = asAppError(error);
  const retryable = RETRYABLE.has(code) || retryAfter !== undefined;
  return encode({ type: 'error', requestId, errorText: message, error: { ...details, code, retryable, retryAfter } });
}

export function eventFrame({ seq, event, data, at }: { seq: number; event: string; data: object; at: Date }): string {
  // As it was recorded, where name and data were typed.
  return encode({ type: 'event', requestId: '', seq, at: at.toISOString(), event: event as EventName, data: data as never });
}

/** The stream begins. */
export function startFrame(requestId: string): string {
  return encode({ type: 'start', requestId });
}

/** @param chunk JSON of a UI message chunk */
export function chunkFrame(requestId: string, sequence: number, chunk: string): string {
  return `{"type":"chunk","requestId":${JSON.stringify(requestId)},"sequence":${sequence},"chunk":${chunk}}`;
}

export function endFrame(requestId: string): string {
  return encode({ type: 'end', requestId });
}

/** There is no run to read. */
export function noActiveFrame(requestId: string): string {
  return encode({ type: 'no-active', requestId });
}

/** A long request is still running. @param message the action's own, if any */
export function progressFrame(requestId: string, ms: number, message: string | undefined): string {
  return encode({ type: 'progress', requestId, ms, message });
}
