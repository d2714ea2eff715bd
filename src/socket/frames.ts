import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';

/** Names a request until its answer; `""` is the service's own, for what nobody asked for. */
const requestId = z.string().min(1).max(64);
const uuid = z.uuid();
const MAX_TOKEN = 8192;

const authenticate = z.object({
  type: z.literal('authenticate'),
  requestId,
  token: z.string().min(1).max(MAX_TOKEN),
  /** The last event seen; everything after it is sent again. */
  since: z.int().min(0).optional(),
});

const call = z.object({
  type: z.literal('call'),
  requestId,
  action: z.string().min(1).max(100),
  account: z.string().min(1).max(254).optional(),
  input: z.unknown().optional(),
  idempotencyKey: z.string().min(1).max(200).optional(),
});

/** Of what the AI SDK's WebSocketChatTransport sends: its socket may begin with such a frame. */
const chat = {
  requestId,
  headers: z
    .object({ authorization: z.string().max(MAX_TOKEN).optional() })
    .optional()
    .catch(undefined),
};

const frame = z.discriminatedUnion('type', [
  authenticate,
  z.object({ type: z.literal('list'), requestId }),
  call,
  z.object({ type: z.literal('approvals'), requestId }),
  z.object({ type: z.literal('approve'), requestId, approvalId: uuid, approved: z.boolean() }),
  z.object({ type: z.literal('abort'), requestId, id: z.string().max(64).optional() }),
  z.object({ type: z.literal('send'), ...chat }),
  z.object({ type: z.literal('resume'), ...chat }),
]);

const answerable = z.object({ requestId });

export type Frame = z.infer<typeof frame>;
/** Frames that are answered once, some time later. */
export type RequestFrame = Extract<Frame, { type: 'list' | 'call' | 'approvals' | 'approve' }>;
type Refused = { type: 'refused'; requestId: string; reason: string };

/** Close codes of steward.v1. */
export const CLOSE = { frame: 4400, authentication: 4401, rate: 4429, restart: 1012, tryAgain: 1013 } as const;

/** Another try of the very same may help. */
const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'rate_limited', 'provider_timeout']);

/**
 * Parses a client's frame.
 *
 * @returns the frame, or why it is none, with the `requestId` to answer to (`''` where it names none)
 */
export function parseFrame(text: string): Frame | Refused {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: 'refused', requestId: '', reason: 'The frame is not JSON.' };
  }
  const parsed = frame.safeParse(value);
  if (parsed.success) return parsed.data;
  const id = answerable.safeParse(value);
  return { type: 'refused', requestId: id.success ? id.data.requestId : '', reason: explain(parsed.error) };
}

/** Names the field at fault, where the type of the frame is known. */
function explain({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  if (issue === undefined || field === '' || issue.code === 'invalid_union') return 'The frame is not one of steward.v1.';
  return `${field}: ${issue.message}`;
}

/** @param seq the user's last event: where the socket stands */
export function readyFrame(requestId: string, { userId, expiresAt }: Caller, revision: string, seq: number): string {
  const until = new Date(expiresAt * 1000).toISOString();
  return JSON.stringify({ type: 'ready', requestId, protocol: 'steward.v1', uid: userId, revision, expiresAt: until, seq });
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
