import { z } from 'zod';
import type { Assistant } from '../assistant/assistant.ts';
import type { ChatStream } from '../assistant/stream/chat-stream.ts';
import { chatModel, chatRequest, threadId } from '../assistant/threads/chat-request.ts';
import type { Limits } from '../config/config.ts';
import type { ErrorCode } from '../errors.ts';
import { type Endpoint, endpoint, type Reply, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';

/** Of the AI SDK's UI message streams, version 1. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'x-vercel-ai-ui-message-stream': 'v1',
  // Proxies would hold it back otherwise.
  'x-accel-buffering': 'no',
};
const ERRORS: readonly ErrorCode[] = ['conflict', 'approval_required', 'assistant_disabled'];
const STREAM = 'A stream of server-sent events: the AI SDK’s UI message chunks, then `[DONE]`.';
const params = z.object({ id: threadId });

const amount = z.object({ used: z.number(), limit: z.number().nullable().describe('null: none.') });
const budget = z
  .object({
    day: z.iso.date().describe('It ends at midnight UTC.'),
    runs: amount,
    steps: amount,
    tokens: amount,
    seconds: amount,
    cost: amount.describe('In the currency of the operator’s prices.'),
  })
  .meta({ id: 'ModelBudget' });
const model = z.object({
  name: z.string().describe('For `model` of `POST /chat`.'),
  default: z.boolean(),
  stand_in: z.boolean().describe('The sandbox’s, which follows rules and is no language model.'),
});

export interface ChatRoutesDeps {
  assistant: Pick<Assistant, 'send' | 'resume' | 'cancel' | 'models' | 'budget'>;
  config: { limits: Pick<Limits, 'socketPayloadBytes'> };
}

/** The assistant over HTTP. */
export function chatRouter(deps: ChatRoutesDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Assistant', [sendMessage(deps), resumeRun(deps), cancelRun(deps), listModels(deps)], middleware);
}

function sendMessage({ assistant, config }: ChatRoutesDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/chat',
    summary: 'Send a message to the assistant',
    description:
      'The body of the AI SDK’s `DefaultChatTransport`; `model` names one of `GET /models`. Of `messages`, only the last one’s text and id are used: the history is the service’s own. If the last one is the assistant’s, its answer goes on after the user’s decisions about its calls. A closed connection doesn’t stop the answer.',
    auth: 'id_token',
    form: z.looseObject({ ...chatRequest.shape, model: chatModel }).meta({ id: 'ChatRequest' }),
    json: { limit: config.limits.socketPayloadBytes },
    stream: STREAM,
    errors: ERRORS,
    handle: async ({ caller, form }) => streamed(await assistant.send(caller, form)),
  });
}

function resumeRun({ assistant }: ChatRoutesDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/chat/:id/stream',
    summary: 'Read an answer again',
    description:
      'The running answer of the conversation from its beginning, on every replica; also one that has ended within the last minute.',
    auth: 'id_token',
    params,
    stream: STREAM,
    pages: { 204: 'No answer is under way.' },
    errors: ['assistant_disabled'],
    async handle({ caller, params: { id } }) {
      const stream = await assistant.resume(caller, id);
      return stream === undefined ? { empty: 204 } : streamed(stream);
    },
  });
}

function cancelRun({ assistant }: ChatRoutesDeps): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/chat/:id/stream',
    summary: 'Stop an answer',
    description:
      'Within two seconds, on every replica. Changes that have started run to their end. With `run` (`runId` in the message’s metadata) only this answer is stopped: if it has ended, another one that has begun since goes on.',
    auth: 'id_token',
    params,
    query: z.strictObject({ run: z.uuid().optional() }),
    response: success,
    async handle({ caller, params: { id }, query }) {
      await assistant.cancel(caller.userId, id, query.run);
      return SUCCEEDED;
    },
  });
}

function listModels({ assistant }: ChatRoutesDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/models',
    summary: 'The assistant’s models',
    description: 'And what the user has used of today’s budget. Without a model, `models` is empty and `budget` is null.',
    auth: 'id_token',
    response: z.object({ models: z.array(model), budget: budget.nullable() }).meta({ id: 'Models' }),
    async handle({ caller }) {
      const models = assistant.models().map(({ standIn, ...rest }) => ({ ...rest, stand_in: standIn }));
      return { json: { models, budget: models.length === 0 ? null : await assistant.budget(caller.userId) } };
    },
  });
}

function streamed(stream: ChatStream): Reply<never> {
  return { events: (signal) => stream.read(signal), headers: HEADERS };
}
