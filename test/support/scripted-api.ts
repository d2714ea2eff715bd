import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startLoopbackServer } from './loopback-server.ts';

export interface ScriptedCall {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Parsed JSON; undefined when there was none. */
  body: any;
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, or as it is when it is a text. */
  body?: unknown;
}

type Answering = ScriptedAnswer | ((call: ScriptedCall) => ScriptedAnswer);

/** An API that responds as a test scripts, by path; other paths are 404. */
export interface ScriptedApi {
  url: string;
  calls: ScriptedCall[];
  on(path: string, answer: Answering): void;
  reset(): void;
  stop(): Promise<void>;
}

export async function startScriptedApi(): Promise<ScriptedApi> {
  const answers = new Map<string, Answering>();
  const calls: ScriptedCall[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://api.invalid');
    const text = (await buffer(request)).toString();
    const call = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
    };
    calls.push(call);
    const answering = answers.get(url.pathname) ?? { status: 404, body: { error: { code: 404, errors: [{ reason: 'notFound' }] } } };
    const { status = 200, headers, body } = typeof answering === 'function' ? answering(call) : answering;
    const type = typeof body === 'string' ? 'text/html' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const { url, close } = await startLoopbackServer((request, response) => void serve(request, response));
  return {
    url,
    calls,
    on: (path, answer) => void answers.set(path, answer),
    reset() {
      answers.clear();
      calls.length = 0;
    },
    stop: close,
  };
}
