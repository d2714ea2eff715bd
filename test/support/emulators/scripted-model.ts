import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ScriptedCall, ScriptedServer } from '../servers/scripted-server.ts';

/** Writes the response to one request, or never ends it. */
export type ModelScript = (response: ServerResponse, call: ScriptedCall) => unknown;

export interface ScriptedToolCall {
  name: string;
  /** As JSON, unless it is a text, which is sent as it is. */
  input: unknown;
  id?: string;
}

const PATH = '/v1/chat/completions';

let calls = 0;

/** An OpenAI-compatible server whose answers a test scripts, in the order of the requests. Without a script it says `Done.` */
export class ScriptedModel {
  readonly #server = new ScriptedServer();
  readonly #scripts: ModelScript[] = [];
  /** For requests without a script of their own. */
  always: ModelScript = says('Done.');

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    await model.#server.start();
    model.#server.on(PATH, (response, call) => {
      // A client that leaves is no fault of the server.
      response.on('error', () => {});
      void (model.#scripts.shift() ?? model.always)(response, call);
    });
    return model;
  }

  /** The variable MODELS with this server as the model `test`. @param more of the model */
  models(more: object = {}): string {
    return JSON.stringify([{ name: 'test', provider: 'openai-compatible', model: 'test-1', baseUrl: `${this.#server.url}/v1`, ...more }]);
  }

  /** The bodies of all requests. */
  get requests(): Record<string, any>[] {
    return this.calls.map(({ body }) => body);
  }

  get calls(): ScriptedCall[] {
    return this.#server.callsOf(PATH);
  }

  /** The messages of the last request. */
  get lastMessages(): Record<string, any>[] {
    return this.requests.at(-1)?.messages ?? [];
  }

  script(...scripts: ModelScript[]): void {
    this.#scripts.push(...scripts);
  }

  reset(): void {
    this.#scripts.length = 0;
    this.#server.calls.length = 0;
    this.always = says('Done.');
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

/** An answer in parts. */
export function says(...texts: string[]): ModelScript {
  return (response) => stream(response, [...texts.map((content) => delta({ content })), finish('stop'), usage()]);
}

/** An answer that goes on when `until` resolves. */
export function saysSlowly(first: string, until: Promise<unknown>, second: string): ModelScript {
  return async (response) => {
    open(response);
    response.write(event(delta({ content: first })));
    await until;
    stream(response, [delta({ content: second }), finish('stop'), usage()]);
  };
}

/** An answer in parts, each after some turns of the event loop, and then calls of tools. */
export function saysAtPace(parts: readonly { text: string; turns: number }[], tools: ScriptedToolCall[] = []): ModelScript {
  return async (response) => {
    open(response);
    for (const { text, turns } of parts) {
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      response.write(event(delta({ content: text })));
    }
    stream(response, [...tools.map(toolDelta), finish(tools.length > 0 ? 'tool_calls' : 'stop'), usage()]);
  };
}

/** Calls of tools, after a text. @param reason why the answer ends */
export function callsTools(tools: ScriptedToolCall[], text?: string, reason = 'tool_calls'): ModelScript {
  return (response) => {
    const before = text === undefined ? [] : [delta({ content: text })];
    stream(response, [...before, ...tools.map(toolDelta), finish(reason), usage()]);
  };
}

/** The connection ends in the middle of a call's arguments. */
export function cutsInCall(name: string): ModelScript {
  return (response) => {
    open(response);
    response.write(event(delta({ content: 'I will ' })));
    const part = { index: 0, id: 'call_cut', type: 'function', function: { name, arguments: '{"to":["a@exa' } };
    response.write(event(delta({ tool_calls: [part] })), () => response.destroy());
  };
}

/** Ends as if it were complete, without a reason. */
export function stopsInCall(name: string, input: unknown): ModelScript {
  return (response) => stream(response, [toolDelta({ name, input }, 0)]);
}

export function cutsOff(text: string): ModelScript {
  return (response) => {
    open(response);
    response.write(event(delta({ content: text })), () => response.destroy());
  };
}

export function fails(status: number, headers: Record<string, string> = {}, body: unknown = { error: { message: 'no' } }): ModelScript {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function sendsHtml(): ModelScript {
  return (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>Welcome</h1>');
}

/** Accepts the request and sends nothing. */
export function hangs(): ModelScript {
  return () => {};
}

/** Never ends by itself. */
export function repeatsForEver(text: string): ModelScript {
  return async (response) => {
    open(response);
    const one = event(delta({ content: text })).repeat(20);
    while (!response.destroyed) {
      if (!response.write(one)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      await nextTurn();
    }
  };
}

function toolDelta({ name, input, id }: ScriptedToolCall, index: number): object {
  calls += 1;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return delta({ tool_calls: [{ index, id: id ?? `call_${calls}`, type: 'function', function: { name, arguments: text } }] });
}

function stream(response: ServerResponse, chunks: object[]): void {
  open(response);
  response.end(`${chunks.map(event).join('')}data: [DONE]\n\n`);
}

function open(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function delta(content: object): object {
  return { ...HEAD, choices: [{ index: 0, delta: { role: 'assistant', ...content }, finish_reason: null }] };
}

function finish(reason: string): object {
  return { ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

function usage(): object {
  return { ...HEAD, choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } };
}

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'test-1' };
