import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import { type Definition, ListedTools } from './listed-tools.ts';
import { type TicketAnswer, TicketProblem } from './ticket-tool.ts';
import type { TicketsState, TicketUser } from './tickets-state.ts';

/** A message that the server received. */
export interface Received {
  /** Id of the user whose token was used. */
  user: string;
  method: string;
  /** Of a call. */
  tool?: string;
  arguments?: unknown;
}

const MOST_RECEIVED = 1_000;

/** What the server does, without the protocol: its tools, their calls, and a log of what it received. */
export class TicketCalls {
  readonly tools = new ListedTools();
  readonly #store: Store<TicketsState>;
  readonly #controls: Controls;
  #received: Received[] = [];

  constructor(store: Store<TicketsState>, controls: Controls) {
    this.#store = store;
    this.#controls = controls;
  }

  get received(): readonly Received[] {
    return this.#received;
  }

  note(received: Received): void {
    this.#received = [...this.#received.slice(1 - MOST_RECEIVED), received];
  }

  forget(): void {
    this.#received = [];
  }

  /** Whether a call needs more than reading. */
  writes(name: string): boolean {
    return this.tools.find(name)?.tool?.writes === true;
  }

  /** @returns undefined: there is no such tool @throws TicketProblem what was wrong, in words */
  call(name: string, input: unknown, user: TicketUser): { answer: TicketAnswer; definition: Definition } | undefined {
    const listed = this.tools.find(name);
    if (listed === undefined) return undefined;
    const { tool, definition } = listed;
    if (tool === undefined) return { answer: { content: [{ type: 'text', text: 'Done.' }] }, definition };
    const parsed = tool.input.safeParse(input ?? {});
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new TicketProblem(`${issue?.path.join('.') || 'The arguments'}: ${issue?.message}`);
    }
    const answer = tool.run(parsed.data, { state: this.#store.state, user, now: new Date(this.#controls.now()).toISOString() });
    if (tool.writes) this.#store.save();
    return { answer, definition };
  }
}
