import type { UIMessage, UIMessageChunk } from 'ai';
import { callsTools, type ModelScript, type ScriptedModel, says } from '../support/emulators/scripted-model.ts';
import { FrontEnd } from '../support/scenes/chat-scene.ts';
import { type Driver, decide, type Ended, forgetDecisions, type OpenDriver, type Reply } from './driver.ts';
import type { World } from './world.ts';

/** Names nobody: whom the user names to the assistant may be told something. */
const SAID = 'Do what is needed.';

let calls = 0;

/** The assistant makes the calls, each in a step of its own, in a new thread; the user decides on Steward's own surface. */
export function assistantWith(model: ScriptedModel): OpenDriver {
  return async (world) => new AssistantDriver(world, model);
}

class AssistantDriver implements Driver {
  readonly #world: World;
  readonly #frontEnd: FrontEnd;
  /** The model's next step, for which it waits. */
  #step = Promise.withResolvers<ModelScript>();
  #stream: AsyncIterator<UIMessageChunk> | undefined;
  #messageId = '';

  constructor(world: World, model: ScriptedModel) {
    this.#world = world;
    const { email, token } = world.person;
    const user = { email, token, accountId: '', userId: '', grantId: '' };
    this.#frontEnd = new FrontEnd(world.steward, user, 'DefaultChatTransport');
    model.always = async (response, call) => {
      const step = await this.#step.promise;
      this.#step = Promise.withResolvers();
      await step(response, call);
    };
  }

  async call(action: string, input: object, reply: Reply): Promise<Ended> {
    calls += 1;
    const id = `obedient_${calls}`;
    if (this.#stream === undefined) await this.#send({ id: `said-${calls}`, role: 'user', parts: [{ type: 'text', text: SAID }] });
    this.#step.resolve(callsTools([{ name: action.replace('.', '_'), input, id }]));
    const chunk = await this.#resultOf(id);
    if (chunk.type !== 'tool-approval-request') return endOf(chunk, false);
    await this.#readToEnd();
    await decide(this.#world, chunk.approvalId, reply);
    // What a front end sends once its user has decided; the service has its own record of the decision.
    await this.#send({ id: this.#messageId, role: 'assistant', parts: [] });
    return endOf(await this.#resultOf(id), true);
  }

  async close(): Promise<void> {
    this.#step.resolve(says('Done.'));
    await this.#readToEnd();
    const { steward, person } = this.#world;
    await steward.call(`/threads/${this.#frontEnd.thread}`, { method: 'DELETE', token: person.token });
    await forgetDecisions(this.#world);
  }

  async #send(message: UIMessage): Promise<void> {
    this.#frontEnd.messages = [message];
    this.#stream = (await this.#frontEnd.open()).values();
  }

  async #resultOf(id: string): Promise<ResultChunk> {
    for (;;) {
      const chunk = await this.#next();
      if (chunk === undefined) throw new Error(`the answer ended without a result of ${id}`);
      if (isResult(chunk) && chunk.toolCallId === id) return chunk;
    }
  }

  async #readToEnd(): Promise<void> {
    while ((await this.#next()) !== undefined);
  }

  async #next(): Promise<UIMessageChunk | undefined> {
    const chunk = (await this.#stream?.next())?.value;
    if (chunk?.type === 'error') throw new Error(chunk.errorText);
    if (chunk?.type === 'start') this.#messageId = chunk.messageId;
    return chunk;
  }
}

const RESULTS = ['tool-approval-request', 'tool-output-available', 'tool-output-error', 'tool-output-denied', 'tool-input-error'] as const;

type ResultChunk = Extract<UIMessageChunk, { type: (typeof RESULTS)[number] }>;

function isResult(chunk: UIMessageChunk): chunk is ResultChunk {
  return (RESULTS as readonly string[]).includes(chunk.type);
}

function endOf(chunk: ResultChunk, asked: boolean): Ended {
  switch (chunk.type) {
    case 'tool-output-available':
      return { outcome: 'ran', asked, data: (chunk.output as { data: unknown }).data };
    case 'tool-output-denied':
      return { outcome: 'denied', asked };
    case 'tool-approval-request':
      return { outcome: 'failed', asked, error: 'The user was asked again.' };
    default:
      return { outcome: chunk.errorText.startsWith('forbidden: ') ? 'refused' : 'failed', asked, error: chunk.errorText };
  }
}
