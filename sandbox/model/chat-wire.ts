import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.ts';
import { MOST_REPEATS, type Reply } from './stand-in.ts';

/** The only model. */
export const MODEL_NAME = 'stand-in';

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

type FinishReason = 'stop' | 'tool_calls' | 'length';
type Delta = { role?: 'assistant'; content?: string; tool_calls?: object[] };

/** A usual ratio of text in English; nothing is counted exactly. */
const CHARACTERS_PER_TOKEN = 4;
/** Characters of a delta. */
const PIECE = { text: 24, arguments: 16 };
/** Deltas of a long text are longer, so that their number stays bounded. */
const MOST_DELTAS = 2_000;

/** A response to one request, in both formats of the wire (platform.openai.com/docs/api-reference/chat). */
export class Completion {
  readonly reply: Reply;
  readonly #id: string;
  readonly #created: number;
  readonly #prompt: string;
  readonly #finish: FinishReason;

  constructor(request: ChatRequest, reply: Reply, now: number) {
    const most = (request.max_tokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN;
    const isCut = reply.text.length > most;
    this.reply = isCut ? { ...reply, text: reply.text.slice(0, most), calls: [] } : reply;
    this.#finish = isCut ? 'length' : reply.calls.length > 0 ? 'tool_calls' : 'stop';
    this.#created = Math.floor(now / 1000);
    this.#prompt = JSON.stringify([request.messages, request.tools ?? []]);
    // Of calls, too: ids of different turns differ, because each turn's messages do.
    this.#id = createHash('sha256').update(this.#prompt).digest('hex').slice(0, 24);
  }

  /** The events of a stream, each the JSON of one `data:` line. */
  *chunks(): Generator<object> {
    yield this.#chunk({ role: 'assistant', content: '' });
    yield* this.#textDeltas();
    for (const [index, { tool, arguments: given }] of this.reply.calls.entries()) {
      yield this.#chunk({ tool_calls: [{ index, id: this.#callId(index), type: 'function', function: { name: tool, arguments: '' } }] });
      for (const piece of pieces(given, PIECE.arguments)) yield this.#chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    yield this.#chunk({}, this.#finish);
  }

  /** The last event of a stream whose request asks for it. */
  usageChunk(): object {
    return { ...this.#base('chat.completion.chunk'), choices: [], usage: this.usage() };
  }

  /** The whole response. */
  whole(): object {
    const { text, calls, endless } = this.reply;
    const toolCalls = calls.map(({ tool, arguments: given }, index) => ({
      id: this.#callId(index),
      type: 'function',
      function: { name: tool, arguments: given },
    }));
    const content = endless ? text.repeat(MOST_REPEATS) : text;
    const message = { role: 'assistant', content: content === '' ? null : content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
    return { ...this.#base('chat.completion'), choices: [{ index: 0, message, finish_reason: this.#finish }], usage: this.usage() };
  }

  usage(): Usage {
    const { text, calls, endless } = this.reply;
    const written =
      text.length * (endless ? MOST_REPEATS : 1) + calls.reduce((sum, call) => sum + call.tool.length + call.arguments.length, 0);
    const [prompt, completion] = [this.#prompt.length, written].map((length) => Math.ceil(length / CHARACTERS_PER_TOKEN)) as [
      number,
      number,
    ];
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }

  *#textDeltas(): Generator<object> {
    const { text, endless } = this.reply;
    if (endless) for (let count = 0; count < MOST_REPEATS; count += 1) yield this.#chunk({ content: text });
    else for (const piece of pieces(text, PIECE.text)) yield this.#chunk({ content: piece });
  }

  #chunk(delta: Delta, finish: FinishReason | null = null): object {
    return { ...this.#base('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] };
  }

  #base(object: string): object {
    return { id: `chatcmpl-${this.#id}`, object, created: this.#created, model: MODEL_NAME };
  }

  #callId(index: number): string {
    return `call_${this.#id}${index}`;
  }
}

/** @param size characters of a piece, more for a long text; surrogate pairs stay whole */
function pieces(text: string, size: number): string[] {
  const length = Math.max(size, Math.ceil(text.length / MOST_DELTAS));
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'gu')) ?? [];
}
