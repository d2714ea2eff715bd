import { chat } from '../../language/en/chat.js';
import { MessageStream } from './message-stream.js';

/** Errors after which the service may still be answering. */
const LOST = new Set(['outcome_unknown', 'disconnected']);
const WAITING = 'approval-requested';
/** Ids of the conversations of automations' runs begin so. */
const OF_RUN = 'auto-';
const LOOK_MS = 2_000;
const MOST_LOOKS = 150;

/**
 * One thread: its messages, and the answer that is under way. Dispatches `change` when anything of it has changed, and
 * `begin` and `end` when an answer has begun or ended. It goes on reading while another thread is shown.
 */
export class Conversation extends EventTarget {
  #session;
  #stream;
  #isFollowed = false;

  /** @param id of the thread @param isNew it is not stored yet */
  constructor(session, id, { isNew = false } = {}) {
    super();
    this.#session = session;
    this.id = id;
    this.title = '';
    /** UIMessages of the AI SDK, oldest first. */
    this.messages = [];
    /** Of the last run; null: there was none. */
    this.status = null;
    this.isReading = false;
    this.isLoaded = isNew;
    this.isNew = isNew;
    /** Why the last message was not answered. */
    this.failure = undefined;
    /** Aborted to take back the last message, which waits for the connection; undefined: none does. */
    this.waiting = undefined;
    /** Why it is not shown: `gone` or `failed`. */
    this.problem = undefined;
    session.client.addEventListener('event', ({ detail }) => this.#happened(detail), { signal: session.signal });
  }

  /** Whether it is a run of an automation: nobody writes in it, and the service goes on by itself. */
  get isOfRun() {
    return this.id.startsWith(OF_RUN);
  }

  /** Loads the thread, and reads its answer if one is under way. @returns whether it has read one @throws Failure */
  async load() {
    // What waits is not stored yet.
    if (this.waiting !== undefined) return false;
    const { thread, messages, run } = await this.#session.request('GET', `/threads/${this.id}`);
    if (this.isReading) return false;
    Object.assign(this, { title: thread.title, messages, status: run?.status ?? null, isLoaded: true, isNew: false });
    this.failure = undefined;
    this.#changed();
    if (run?.status === 'running') await this.#read(undefined, (reading) => this.#session.client.resumeChat(this.id, reading));
    else if (run?.status === 'awaiting_approval') await this.#goOn();
    return run?.status === 'running';
  }

  /** @returns whether the service has taken the message */
  async send(text, model) {
    const message = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] };
    this.messages = [...this.messages, message];
    const taken = (await this.#connected()) && (await this.#ask(message, model));
    if (taken) this.isNew = false;
    else this.messages = this.messages.filter((one) => one !== message);
    this.#changed();
    // Another page has asked in this thread: its answer is what the user waits for.
    if (this.failure?.code === 'conflict') this.#again();
    return taken;
  }

  /** Sends the last message again, in place of the answer that broke off. The service refuses that if it has changed something. */
  async retry(model) {
    const { messages } = this;
    const index = messages.findLastIndex(({ role }) => role === 'user');
    if (this.isReading || this.waiting !== undefined || index === -1) return;
    this.messages = messages.slice(0, index + 1);
    const sent = (await this.#connected()) && (await this.#ask(messages[index], model));
    if (sent && this.failure === undefined) return;
    const { failure } = this;
    // The answer that is still there.
    await this.#again();
    this.failure = failure;
    this.#changed();
  }

  /** Takes the message back that waits for the connection. */
  cancel() {
    this.waiting?.abort();
  }

  /** Waits for the connection: what is sent is never said to be under way without one. @returns false: it was cancelled */
  async #connected() {
    const { link, signal } = this.#session;
    if (link.isOpen) return true;
    this.failure = undefined;
    this.waiting = new AbortController();
    this.#changed();
    try {
      await link.opened(AbortSignal.any([signal, this.waiting.signal]));
      return true;
    } catch {
      return false;
    } finally {
      this.waiting = undefined;
      this.#changed();
    }
  }

  /** @param message the user's last one @returns whether the service has taken it */
  #ask(message, model) {
    const { client } = this.#session;
    const [{ text }] = message.parts;
    const start = (reading) => client.chat({ threadId: this.id, text, model, messageId: message.id }, reading);
    return this.#read(undefined, start, message);
  }

  /** Stops the answer that is shown, also if this page doesn't read it any more; not one that another page has begun since. */
  async stop() {
    if (this.#session.client.stopChat(this.id)) return;
    const run = this.messages.at(-1)?.metadata?.runId;
    await this.#session.request('DELETE', `/chat/${this.id}/stream${run === undefined ? '' : `?run=${run}`}`);
  }

  /** What the user has decided, before the service says what became of it. @param approved undefined: nobody has, and the time is up */
  decided(approvalId, approved) {
    const part = this.messages.flatMap(({ parts }) => parts).find(({ approval }) => approval?.id === approvalId);
    if (part?.state !== WAITING) return;
    part.state = 'approval-responded';
    part.approval = { ...part.approval, approved };
    this.#changed();
    return this.#goOn();
  }

  /** Shows another question in place of one: its arguments were changed, and others would see it. */
  askedAgain(approvalId, descriptor) {
    const part = this.messages.flatMap(({ parts }) => parts).find(({ approval }) => approval?.id === approvalId);
    if (part?.state !== WAITING) return;
    part.approval = { ...part.approval, descriptor: { ...part.approval.descriptor, ...descriptor } };
    this.#changed();
  }

  /** Lets the assistant go on once every question of its last message is decided. */
  async #goOn() {
    const last = this.messages.at(-1);
    const open = last?.role === 'assistant' ? last.parts.filter(({ state }) => state === WAITING || state === 'approval-responded') : [];
    if (this.isReading || open.length === 0 || open.some(({ state }) => state === WAITING)) return;
    if (this.isOfRun) return this.#follow();
    const { client } = this.#session;
    await this.#read(last, (reading) =>
      client.continueChat({ threadId: this.id, messageId: last.id, model: last.metadata?.model }, reading),
    );
  }

  /** Looks until the service has gone on with the run, and reads what it says. */
  async #follow() {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    try {
      for (let looks = 0; looks < MOST_LOOKS && this.status === 'awaiting_approval' && !this.#session.signal.aborted; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        await this.load();
      }
    } catch (error) {
      this.failure = error;
      this.#changed();
    } finally {
      this.#isFollowed = false;
    }
  }

  /** A question that was decided elsewhere, or whose time is up. */
  #happened({ event, data }) {
    if (event === 'approval.decided') this.decided(data.approvalId, data.approved === true);
    else if (event === 'approval.expired') this.decided(data.approvalId, undefined);
  }

  /**
   * Reads an answer to its end.
   *
   * @param continued the message that it continues
   * @param asked the message that it answers
   * @returns whether the service began to answer
   */
  async #read(continued, start, asked) {
    this.isReading = true;
    this.failure = undefined;
    this.status = 'running';
    this.#stream = new MessageStream(continued);
    this.#changed();
    let error;
    try {
      await start({ onChunk: (chunk) => this.#received(chunk) });
    } catch (thrown) {
      error = thrown;
    }
    const began = this.#stream.message.id !== undefined;
    const { metadata } = this.#stream.message;
    this.isReading = false;
    this.status = metadata.status ?? (began && this.#stream.aborted ? 'cancelled' : null);
    if (LOST.has(error?.code)) return this.#again(asked);
    // The message itself says why it failed, if it was begun.
    if (error !== undefined || (this.#stream.error !== undefined && metadata.error === undefined))
      this.failure = error ?? failureOf(this.#stream.error);
    this.#changed();
    this.dispatchEvent(new Event('end'));
    return began || error === undefined;
  }

  #received(chunk) {
    this.#stream.add(chunk);
    const { message } = this.#stream;
    if (message.id === undefined) return;
    const at = this.messages.findIndex(({ id, role }) => id === message.id && role === 'assistant');
    this.messages = at === -1 ? [...this.messages, message] : this.messages.with(at, message);
    if (at === -1) this.dispatchEvent(new Event('begin'));
    this.#changed();
  }

  /** The service knows more of the answer than this page. @param asked a message that it may not have received */
  async #again(asked) {
    let problem;
    let isRead = false;
    try {
      await this.#session.client.connect();
      isRead = await this.load();
    } catch (error) {
      problem = error;
    }
    const isSent = asked === undefined || (problem?.code !== 'not_found' && this.messages.some(({ id }) => id === asked.id));
    this.failure = isSent ? problem : { message: chat.notSent };
    this.#changed();
    // It has ended while there was no connection.
    if (!isRead) this.dispatchEvent(new Event('end'));
    return isSent;
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** What an error says for the model only begins so: a schema. */
const FOR_MODEL = '\nThe schema of its arguments: ';

/** `code: message` → both. */
export function failureOf(text) {
  const [, code, message] = /^([a-z_]{2,40}): ([\s\S]*)$/.exec(text) ?? [undefined, undefined, text];
  return { code, message: message?.split(FOR_MODEL, 1)[0] };
}
