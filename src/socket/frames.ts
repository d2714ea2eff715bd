import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import { isObject } from '../validation/is-object.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { check } from '../validation/validate.ts';
import { shownName } from '../validation/validation-messages.ts';
import { surveyFrame } from './frame-survey.ts';

/** Names a request until its answer; `""` is the service's own, for what nobody asked for. */
const requestId = z.string().min(1).max(64);
const MAX_TOKEN = 8192;

/** Of what the AI SDK's WebSocketChatTransport sends, which holds more: its socket may begin with such a frame. */
const chat = {
  requestId,
  headers: z
    .object({ authorization: z.string().max(MAX_TOKEN).optional() })
    .optional()
    .catch(undefined),
};

/** Strict but for chat: a misspelt `account` or `idempotencyKey` must not go unnoticed. */
export const FRAMES = {
  authenticate: z.strictObject({
    type: z.literal('authenticate'),
    requestId,
    token: z.string().min(1).max(MAX_TOKEN),
    /** The last event seen; everything after it is sent again. */
    since: z.int().min(0).optional(),
  }),
  list: z.strictObject({ type: z.literal('list'), requestId }),
  call: z.strictObject({
    type: z.literal('call'),
    requestId,
    action: z.string().min(1).max(100),
    account: z.string().min(1).max(254).optional(),
    input: z.custom<object>(isObject, 'must be an object').optional(),
    idempotencyKey: z.string().min(1).max(200).optional(),
  }),
  approvals: z.strictObject({ type: z.literal('approvals'), requestId }),
  approve: z.strictObject({ type: z.literal('approve'), requestId, approvalId: z.uuid(), approved: z.boolean() }),
  abort: z.strictObject({ type: z.literal('abort'), requestId, id: z.string().max(64).optional() }),
  send: z.object({ type: z.literal('send'), ...chat }),
  resume: z.object({ type: z.literal('resume'), ...chat }),
} as const;

const TYPES = Object.keys(FRAMES);

export type Frame = z.output<(typeof FRAMES)[keyof typeof FRAMES]>;
/** Frames that are answered once, some time later. */
export type RequestFrame = Extract<Frame, { type: 'list' | 'call' | 'approvals' | 'approve' }>;
/** No frame of ours: why, and the `requestId` to answer to (`''` where it names none). */
type Refused = { type: 'refused'; requestId: string; reason: string; code?: 'too_large' };
export type Incoming = Frame | Refused;

/** Close codes of steward.v1. */
export const CLOSE = { frame: 4400, authentication: 4401, rate: 4429, restart: 1012, tryAgain: 1013 } as const;

/** Another try of the very same may help. */
const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'rate_limited', 'provider_timeout']);

/** Smaller frames cost little, whatever they hold. */
const LARGE_BYTES = 64 * 1024;
/** No action takes arguments of more levels or values (agents/input-guard.ts): parsing them would only take time from others. */
const MAX_DEPTH = 32;
const MAX_VALUES = 32_768;

/**
 * Parses a client's frame.
 *
 * @param maxBytes larger ones are not parsed at all
 */
export function parseFrame(data: Buffer, maxBytes: number): Incoming {
  const refused = data.length > Math.min(maxBytes, LARGE_BYTES) ? refuseLarge(data, maxBytes) : undefined;
  if (refused !== undefined) return refused;
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    return { type: 'refused', requestId: '', reason: 'The frame is not JSON.' };
  }
  if (!isObject(value)) return { type: 'refused', requestId: '', reason: 'The frame must be an object with a type and a requestId.' };
  const { type } = value;
  if (!isKnown(type)) return { type: 'refused', requestId: idOf(value), reason: unknownType(type) };
  const checked = check(FRAMES[type], value);
  return 'problem' in checked ? { type: 'refused', requestId: idOf(value), reason: checked.problem } : checked.value;
}

function refuseLarge(data: Buffer, maxBytes: number): Refused | undefined {
  const { depth, values, requestId } = surveyFrame(data);
  const refused = { type: 'refused', requestId: idOf({ requestId }) } as const;
  if (data.length > maxBytes) return { ...refused, code: 'too_large', reason: `The frame is larger than ${maxBytes} bytes.` };
  if (depth > MAX_DEPTH) return { ...refused, reason: `The frame has more than ${MAX_DEPTH} levels.` };
  return values > MAX_VALUES ? { ...refused, code: 'too_large', reason: `The frame holds more than ${MAX_VALUES} values.` } : undefined;
}

function isKnown(type: unknown): type is keyof typeof FRAMES {
  return typeof type === 'string' && Object.hasOwn(FRAMES, type);
}

function idOf(value: Record<string, unknown>): string {
  return requestId.safeParse(value.requestId).data ?? '';
}

function unknownType(type: unknown): string {
  if (typeof type !== 'string') return `type: ${type === undefined ? 'is required' : 'must be a string'}: one of ${TYPES.join(', ')}`;
  const nearest = nearestName(type, TYPES);
  return `type: ${shownName(type)} is unknown${nearest === undefined ? `, only ${TYPES.join(', ')}` : ` (did you mean ${nearest}?)`}`;
}

/** @param seq the user's last event: where the socket stands. @param maxBytes of a frame of the client's */
export function readyFrame(
  requestId: string,
  { userId, expiresAt }: Caller,
  { revision, seq, maxBytes }: { revision: string; seq: number; maxBytes: number },
): string {
  const until = new Date(expiresAt * 1000).toISOString();
  return JSON.stringify({ type: 'ready', requestId, protocol: 'steward.v1', uid: userId, revision, expiresAt: until, seq, maxBytes });
}

export function resultFrame(requestId: string, { data, meta }: { data: unknown; meta?: object }): string {
  return JSON.stringify({ type: 'result', requestId, data, meta });
}

/** Any error as a frame: code, message for people and what helps to go on; nothing internal. */
export function errorFrame(requestId: string, error: unknown): string {
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side.');
  const { code, message, retryAfter, details } = known;
  const retryable = RETRYABLE.has(code) || retryAfter !== undefined;
  return JSON.stringify({ type: 'error', requestId, errorText: message, error: { ...details, code, retryable, retryAfter } });
}

export function eventFrame({ seq, event, data }: { seq: number; event: string; data: object }): string {
  return JSON.stringify({ type: 'event', requestId: '', seq, event, data });
}

/** A long request is still running; `message` where the action says how far it is. */
export function progressFrame(requestId: string, ms: number, message: string | undefined): string {
  return JSON.stringify({ type: 'progress', requestId, ms, message });
}
