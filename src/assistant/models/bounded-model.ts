import { APICallError, type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import { JsonBudget, type JsonLimits } from '../../validation/json-budget.ts';
import { wellFormed } from '../../validation/well-formed.ts';
import { type Part, type Streamed, WellFormedParts } from './well-formed-parts.ts';

/** Far more levels than arguments of a tool may have, and fewer than a parser, a copy or a writer of JSON can take. */
const ARGUMENTS: JsonLimits = { levels: 100, values: 32_768 };

export type Model = Exclude<LanguageModel, string>;

/** How much of a model's output is taken. */
export interface ModelBounds {
  stepCalls: number;
  /** Of all steps, bytes. */
  outputBytes: number;
  /** By the monotonic clock. */
  deadline: number;
  /** Of the calls that the thread has already. */
  callIds: readonly string[];
}

/** Of one step: more than the tokens that models write in one. The SDK sorts the times of all at the end, in one turn of the event loop. */
const MAX_PARTS = 65_536;
/** Of texts and thoughts that a model alternates between: front ends copy all of a message's parts for each piece of one. */
const MAX_TEXTS = 500;
/** What providers take as the name of a tool. They would refuse every later request of the thread with another one. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const UNUSABLE_NAME = 'unusable_name';
const MAX_CALL_ID = 64;
const CALL_ID = /^[A-Za-z0-9_-]+$/;

/**
 * A model whose output is cut off at the bounds, before any of its calls is made; it ends with an AppError. Ids of its calls
 * are unique in the thread: front ends would take another call with the id of an earlier one for the same. All texts that it
 * receives and sends are well-formed.
 */
export function boundedModel(model: Model, bounds: ModelBounds, clock: Clock): Model {
  const counted = { bytes: 0, texts: 0 };
  const known = new Set(bounds.callIds);
  const middleware: LanguageModelMiddleware = {
    transformParams: async ({ params }) => ({ ...params, prompt: wellFormed(params.prompt) }),
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await Promise.resolve(doStream()).catch((error: unknown) =>
        Promise.reject(withoutVainRetries(error, bounds.deadline - clock.monotonic())),
      );
      const ids = new CallIds(known);
      // Some providers send the calls only once all have begun.
      const calls = { begun: 0, complete: 0 };
      let parts = 0;
      const begun = new Map<string, JsonBudget>();
      const check = (part: Part) => {
        parts += 1;
        counted.bytes += bytesOf(part);
        if (part.type === 'text-start' || part.type === 'reasoning-start') counted.texts += 1;
        if (part.type === 'tool-input-start') calls.begun += 1;
        if (part.type === 'tool-call') calls.complete += 1;
        if (Math.max(calls.begun, calls.complete) > bounds.stepCalls)
          throw new AppError('too_large', `The model made more than ${bounds.stepCalls} calls in one step; none was made.`);
        if (counted.bytes > bounds.outputBytes || parts > MAX_PARTS || counted.texts > MAX_TEXTS)
          throw new AppError('too_large', 'The model’s answer is too long.');
        if (!isShallow(part, begun)) throw new AppError('provider_error', 'The model wrote arguments with too many levels or values.');
        return ids.unique(part);
      };
      const texts = new WellFormedParts();
      const bounded = new TransformStream<Part, Part>({
        transform(part, controller) {
          for (const one of texts.next(check(part))) controller.enqueue(one);
        },
      });
      return { ...rest, stream: stream.pipeThrough(bounded) as Streamed };
    },
  };
  return wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]['model'], middleware });
}

function bytesOf(part: Part): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return Buffer.byteLength(part.delta);
    case 'tool-input-start':
    case 'tool-call':
      return part.toolName.length;
    default:
      return 0;
  }
}

function usable(name: string): string {
  return NAME.test(name) ? name : UNUSABLE_NAME;
}

function isShallow(part: Part, begun: Map<string, JsonBudget>): boolean {
  if (part.type === 'tool-call') return new JsonBudget(ARGUMENTS).add(Buffer.from(part.input)) === undefined;
  if (part.type !== 'tool-input-delta') return true;
  const budget = begun.get(part.id) ?? new JsonBudget(ARGUMENTS);
  begun.set(part.id, budget);
  return budget.add(Buffer.from(part.delta)) === undefined;
}

/** Some servers number the calls of each answer from the start. */
class CallIds {
  /** Of earlier answers. */
  readonly #known: Set<string>;
  readonly #given = new Map<string, string>();

  constructor(known: Set<string>) {
    this.#known = known;
  }

  unique(part: Part): Part {
    switch (part.type) {
      case 'tool-input-start':
        return { ...part, id: this.#idOf(part.id), toolName: usable(part.toolName) };
      case 'tool-input-delta':
      case 'tool-input-end':
        return { ...part, id: this.#idOf(part.id) };
      case 'tool-call':
        return { ...part, toolCallId: this.#idOf(part.toolCallId), toolName: usable(part.toolName) };
      default:
        return part;
    }
  }

  #idOf(id: string): string {
    const given = this.#given.get(id);
    if (given !== undefined) return given;
    const isUsable = id.length <= MAX_CALL_ID && CALL_ID.test(id) && !this.#known.has(id);
    const unique = isUsable ? id : `call_${crypto.randomUUID().replaceAll('-', '')}`;
    this.#known.add(unique);
    this.#given.set(id, unique);
    return unique;
  }
}

/** A provider that allows no request before the run's end is not asked again. @param leftMs until then */
function withoutVainRetries(error: unknown, leftMs: number): unknown {
  if (!APICallError.isInstance(error)) return error;
  const seconds = Number(error.responseHeaders?.['retry-after']);
  if (!(seconds * 1000 > leftMs)) return error;
  return new AppError('rate_limited', 'The model’s provider takes no more requests for now.', { retryAfter: Math.ceil(seconds) });
}
