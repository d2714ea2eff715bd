import {
  type ChatTransport,
  DefaultChatTransport,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  WebSocketChatTransport,
} from 'ai';
import WebSocket from 'ws';
import { ScriptedModel } from '../emulators/scripted-model.ts';
import { startIssuer } from '../servers/issuer.ts';
import type { Service } from '../steward.ts';
import type { ConnectedGrant } from '../users/refreshing.ts';
import { ExecutorScene } from './executor-scene.ts';
import { newName } from './flows.ts';
import { type Replicas, startReplicas } from './mcp-scene.ts';

export type TransportKind = 'WebSocketChatTransport' | 'DefaultChatTransport';
export const TRANSPORTS: TransportKind[] = ['WebSocketChatTransport', 'DefaultChatTransport'];

/** What a front end that read a stream has. */
export interface Read {
  message: UIMessage;
  chunks: UIMessageChunk[];
  /** What it shows as an error; undefined: none. */
  error: string | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A service whose model is scripted by a test. */
export class ChatScene {
  readonly model: ScriptedModel;
  readonly scene: ExecutorScene;
  readonly #signIn: () => Promise<string>;
  readonly #stop: () => Promise<void>;

  private constructor(model: ScriptedModel, scene: ExecutorScene, signIn: () => Promise<string>, stop: () => Promise<void>) {
    this.model = model;
    this.scene = scene;
    this.#signIn = signIn;
    this.#stop = stop;
  }

  static async start(env: Record<string, string> = {}, model: object = {}): Promise<ChatScene> {
    const scripted = await ScriptedModel.start();
    const scene = await ExecutorScene.start({ MODELS: scripted.models(model), ...env });
    return new ChatScene(
      scripted,
      scene,
      () => scene.steward.signIn(newName()),
      () => scene.stop(),
    );
  }

  /** Two replicas on one database. */
  static async replicated(env: Record<string, string> = {}): Promise<{ chat: ChatScene; replicas: Replicas }> {
    const scripted = await ScriptedModel.start();
    // One that both accept.
    const issuer = await startIssuer();
    const replicas = await startReplicas({ ...issuer.env, MODELS: scripted.models(), ...env });
    const stop = async () => {
      await replicas.stop();
      await issuer.close();
    };
    return { chat: new ChatScene(scripted, replicas.scene, () => issuer.sign(newName()), stop), replicas };
  }

  get steward() {
    return this.scene.steward;
  }

  reset(): void {
    this.model.reset();
    this.scene.reset();
    this.scene.sending(200);
  }

  /** A front end of a new user with a connected account. */
  async frontEnd(kind: TransportKind = 'WebSocketChatTransport'): Promise<FrontEnd> {
    return new FrontEnd(this.steward, await this.scene.connect({ token: await this.#signIn() }), kind);
  }

  async stop(): Promise<void> {
    await this.#stop();
    await this.model.stop();
  }
}

/** A front end that uses a transport of the AI SDK. */
export class FrontEnd {
  readonly user: ConnectedGrant;
  readonly thread: string;
  readonly transport: ChatTransport<UIMessage>;
  readonly #service: Service;
  readonly #kind: TransportKind;
  /** As it has them. */
  messages: UIMessage[] = [];

  constructor(service: Service, user: ConnectedGrant, kind: TransportKind, thread = newName()) {
    this.#service = service;
    this.user = user;
    this.thread = thread;
    this.#kind = kind;
    this.transport = transportOf(kind, service.url, user.token);
  }

  /** The same user's front end elsewhere. */
  beside(service: Service = this.#service, thread = this.thread): FrontEnd {
    return new FrontEnd(service, this.user, this.#kind, thread);
  }

  /** Sends a text and reads the answer to its end. */
  async say(text: string): Promise<Read> {
    this.messages.push({ id: newName(), role: 'user', parts: [{ type: 'text', text }] });
    return this.submit();
  }

  /** Sends the messages as they are, and reads the answer. */
  async submit(options: { trigger?: 'submit-message' | 'regenerate-message'; body?: object } = {}): Promise<Read> {
    const last = this.messages.at(-1);
    const read = await readAll(await this.open(options), last?.role === 'assistant' ? structuredClone(last) : undefined);
    if (last?.role === 'assistant') this.messages.pop();
    this.messages.push(read.message);
    return read;
  }

  open(
    options: { trigger?: 'submit-message' | 'regenerate-message'; body?: object; signal?: AbortSignal } = {},
  ): Promise<ReadableStream<UIMessageChunk>> {
    return this.transport.sendMessages({
      chatId: this.thread,
      messages: this.messages,
      trigger: options.trigger ?? 'submit-message',
      messageId: undefined,
      abortSignal: options.signal,
      ...(options.body !== undefined && { body: options.body }),
    });
  }

  /** The message that is being written, from its beginning; undefined: none is. */
  async resume(): Promise<Read | undefined> {
    const stream = await this.transport.reconnectToStream({ chatId: this.thread });
    return stream === null ? undefined : readAll(stream);
  }

  /** Ends the connection. */
  cut(): void {
    if (this.transport instanceof WebSocketChatTransport) this.transport.close();
  }

  /** The thread as the service has it. */
  async stored(): Promise<{ messages: UIMessage[]; run: Record<string, any> | null; status: number }> {
    const { body, status } = await this.#service.call(`/threads/${this.thread}`, { token: this.user.token });
    return { messages: body.messages, run: body.run, status };
  }

  /** Decides on a call, as Steward's own pages do. */
  async decide(approvalId: string, approved: boolean, input?: object): Promise<number> {
    const body = JSON.stringify({ approved, ...(input && { input }) });
    return (await this.#service.call(`/approvals/${approvalId}`, { token: this.user.token, body, headers: JSON_TYPE })).status;
  }

  /** What `addToolApprovalResponse` of useChat does to the last message. */
  respond(approvalId: string, approved: boolean): void {
    for (const part of this.messages.at(-1)?.parts ?? []) {
      if (part.type !== 'dynamic-tool' || part.approval?.id !== approvalId) continue;
      Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved } });
    }
  }
}

function transportOf(kind: TransportKind, url: string, token: string): ChatTransport<UIMessage> {
  const headers = { authorization: token };
  if (kind === 'DefaultChatTransport') return new DefaultChatTransport({ api: `${url}/chat`, headers });
  return new WebSocketChatTransport({ url: `${url.replace('http', 'ws')}/ws`, headers, webSocket: WebSocket as never });
}

/** Reads a stream as useChat does. @param message that it goes on */
export async function readAll(stream: ReadableStream<UIMessageChunk>, message?: UIMessage): Promise<Read> {
  const chunks: UIMessageChunk[] = [];
  const seen = stream.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        chunks.push(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  let last = message;
  let error: string | undefined;
  const onError = (thrown: unknown) => {
    error ??= thrown instanceof Error ? thrown.message : String(thrown);
  };
  for await (const state of readUIMessageStream({ stream: seen, onError, ...(message && { message }) })) last = state;
  if (last === undefined) throw new Error(error ?? 'there was no message');
  return { message: JSON.parse(JSON.stringify(last)), chunks, error };
}

/** The text of a message. */
export function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/** The calls of a message. */
export function toolParts({ parts }: UIMessage): Record<string, any>[] {
  return parts.filter(({ type }) => type === 'dynamic-tool');
}

/** What a front end shows in place of an answer. */
export async function refusalOf(reading: Promise<Read>): Promise<string> {
  const error = await reading.then(
    (read) => read.error,
    (thrown: Error) => thrown.message,
  );
  if (error === undefined) throw new Error('it was answered');
  return error;
}
