import { once } from 'node:events';
import { json, type NextFunction, type Request, type Response, Router } from 'express';
import type { Clock } from '../../src/clock/clock.ts';
import { halfProblem, textProblem } from '../../src/validation/well-formed.ts';
import type { Controls } from '../controls.ts';
import { chatRequest } from './chat-request.ts';
import { Completion, MODEL_NAME } from './chat-wire.ts';
import { reply } from './stand-in.ts';

export interface ModelRoutesOptions {
  controls: Controls;
  /** Between the deltas of a slow answer, milliseconds. */
  slowMs: number;
}

/** An error in the format of the API. */
class ModelError extends Error {}

const MAX_BODY = '30mb';

/** The stand-in's API, mounted at /sandbox/model. */
export function modelRoutes({ controls, slowMs }: ModelRoutesOptions): Router {
  const router = Router();
  router.use(controls.intercept('model'));
  router.get('/v1/models', (_request, response) => {
    response.json({ object: 'list', data: [{ id: MODEL_NAME, object: 'model', created: 0, owned_by: 'steward-sandbox' }] });
  });
  router.post('/v1/chat/completions', json({ limit: MAX_BODY }), async (request, response) => {
    // As vendors do: lone surrogates are no text.
    if (textProblem(request.body, halfProblem) !== undefined) throw new ModelError('The request body is not valid JSON: lone surrogate.');
    const parsed = chatRequest.safeParse(request.body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new ModelError(`${issue?.path.join('.') || 'the body'}: ${issue?.message}`);
    }
    const completion = new Completion(parsed.data, reply(parsed.data, controls.now()), controls.now());
    response.set('Cache-Control', 'no-store');
    if (parsed.data.stream === true)
      await stream(completion, parsed.data.stream_options?.include_usage === true, response, controls.clock, slowMs);
    else await respond(completion, response, controls.clock, slowMs);
  });
  router.use((request) => {
    throw new ModelError(`Unknown request URL: ${request.method} ${request.path}.`);
  });
  router.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    const status = error instanceof ModelError ? 400 : statusOf(error);
    if (status === undefined) return next(error);
    const { message } = error as Error;
    response.status(status).json({ error: { message, type: 'invalid_request_error', param: null, code: null } });
  });
  return router;
}

/** Errors of the body parser have a status. */
function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status < 500 ? status : undefined;
}

async function respond(completion: Completion, response: Response, clock: Clock, slowMs: number): Promise<void> {
  if (completion.reply.slow) await clock.sleep(slowMs);
  const body = JSON.stringify(completion.whole());
  if (completion.reply.cut) cut(response, 'application/json', body);
  else response.type('application/json').send(body);
}

/** Half of a body, and the end of the connection. */
function cut(response: Response, type: string, body: string): void {
  response.type(type);
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

async function stream(completion: Completion, hasUsage: boolean, response: Response, clock: Clock, slowMs: number): Promise<void> {
  const { slow, cut: isCut } = completion.reply;
  const left = new AbortController();
  response.on('close', () => left.abort());
  response.status(200).type('text/event-stream');
  try {
    for (const event of isCut ? beginning(completion) : completion.chunks()) {
      await write(response, JSON.stringify(event), left.signal);
      if (slow) await clock.sleep(slowMs, { signal: left.signal });
    }
    if (isCut) return void response.destroy();
    if (hasUsage) await write(response, JSON.stringify(completion.usageChunk()), left.signal);
    await write(response, '[DONE]', left.signal);
    response.end();
  } catch (error) {
    // Whoever asked has left.
    if (!left.signal.aborted) throw error;
  }
}

/** The events up to the middle of the arguments. */
function beginning(completion: Completion): object[] {
  const events = [...completion.chunks()];
  return events.slice(0, Math.ceil(events.length / 2));
}

async function write(response: Response, data: string, signal: AbortSignal): Promise<void> {
  if (!response.write(`data: ${data}\n\n`)) await once(response, 'drain', { signal });
  // Otherwise an endless answer would be written in one go, and a client that leaves would not be noticed.
  else await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
