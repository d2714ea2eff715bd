import { randomUUID } from 'node:crypto';

/** One answer as a client reads it. */
export interface Answer {
  text: string;
  /** Until the first token had arrived, milliseconds. */
  firstMs: number;
}

/** An answer that is being read. */
export interface Reading {
  /** What has arrived so far. */
  text: string;
  /** Resolves once so much has arrived. */
  reached(characters: number): Promise<void>;
  done: Promise<Answer>;
}

/** An event of a model's response, or a chunk of the service's. */
interface StreamEvent {
  choices?: { delta: { content?: string }; finish_reason: string | null }[];
  type?: string;
  delta?: string;
  errorText?: string;
  messageMetadata?: { status: string };
}

/** What the client sends, and how it reads the response. */
export interface Wire {
  url: string;
  init: RequestInit;
  textOf(event: StreamEvent): string;
  /** @throws Error if it did not end well */
  isEnd(event: StreamEvent): boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A request to the model itself. */
export function toModel(port: number, model: string): Wire {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello.' }] });
  return {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    init: { method: 'POST', headers: JSON_TYPE, body },
    textOf: (event) => event.choices?.[0]?.delta.content ?? '',
    isEnd: (event) => event.choices?.[0]?.finish_reason === 'stop',
  };
}

/** A message of the user in a new thread. */
export function toService(port: number, token: string, model: string, thread: string = randomUUID()): Wire {
  const messages = [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  const body = JSON.stringify({ id: thread, trigger: 'submit-message', messages, model });
  return {
    url: `http://127.0.0.1:${port}/chat`,
    init: { method: 'POST', headers: { ...JSON_TYPE, authorization: token }, body },
    ...CHUNKS,
  };
}

/** The answer in a thread, from its beginning. */
export function toResume(port: number, token: string, thread: string): Wire {
  return { url: `http://127.0.0.1:${port}/chat/${thread}/stream`, init: { headers: { authorization: token } }, ...CHUNKS };
}

const CHUNKS: Pick<Wire, 'textOf' | 'isEnd'> = {
  textOf: (chunk) => (chunk.type === 'text-delta' ? (chunk.delta ?? '') : ''),
  isEnd(chunk) {
    if (chunk.type === 'error') throw new Error(chunk.errorText);
    return chunk.type === 'finish' && chunk.messageMetadata?.status === 'done';
  },
};

/** Sends a request and reads the answer. @returns what is read; `done` rejects if the answer is not completed */
export function read(wire: Wire): Reading {
  const waiting = new Set<{ characters: number; resolve: () => void; reject: (error: unknown) => void }>();
  const reading: Reading = {
    text: '',
    reached: (characters) => new Promise((resolve, reject) => waiting.add({ characters, resolve, reject })),
    done: readAll(wire, (part) => {
      reading.text += part;
      for (const one of waiting) if (reading.text.length >= one.characters) one.resolve();
    }),
  };
  const fail = (error: unknown) => {
    for (const { reject } of waiting) reject(error);
  };
  reading.done.then(() => fail(new Error('the answer ended before')), fail);
  return reading;
}

async function readAll({ url, init, textOf, isEnd }: Wire, onText: (part: string) => void): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(url, init);
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const answer = { text: '', firstMs: Number.NaN };
  let isComplete = false;
  for await (const event of eventsOf(response)) {
    const part = textOf(event);
    if (part !== '' && answer.text === '') answer.firstMs = performance.now() - start;
    if (part !== '') onText(part);
    answer.text += part;
    isComplete ||= isEnd(event);
  }
  if (!isComplete) throw new Error(`${url}: the answer was not completed`);
  return answer;
}

/** The server-sent events of a response, parsed. */
async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  let rest = '';
  for await (const bytes of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>) {
    const events = (rest + bytes).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.startsWith('data: ') ? event.slice('data: '.length) : '';
      if (data !== '' && data !== '[DONE]') yield JSON.parse(data) as StreamEvent;
    }
  }
}
