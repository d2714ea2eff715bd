import { actionName } from '../../public/language/en/actions.js';
import { saidToYou } from '../../public/language/en/said-to-you.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { Happened } from './event-line.ts';
import { type Data, isData, type Result } from './tool-results.ts';

export interface Call {
  tool: string;
  input: Data;
}

/**
 * What the stand-in does about a request: it yields the calls of a step and is given their results. It is run from the
 * beginning for each step, with the results so far, because requests carry the whole conversation.
 */
export type Plan<Out = string> = Generator<readonly Call[], Out, readonly Result[]>;

/** A tool that the request offers, with the JSON Schema of its parameters. */
export type Tools = ReadonlyMap<string, Data>;

/** Calls a tool that a long list leaves out. */
export const CALL_TOOL = 'call_tool';
/** Of those that a long list leaves out, the tools of these agents are known. */
const DEFERRED_AGENTS = ['tickets_', 'automations_'];

const WORKSPACE_TOOL = /^(?:mail|calendar|drive|documents|spreadsheets|presentations)_/;

/** A plan can't go on; the message is the answer. */
export class Stopped extends Error {}

/** What a plan knows and may do. */
export class World {
  readonly tools: Tools;
  /** What clocks of the user show, as milliseconds since 1970 in UTC. */
  readonly now: number;
  /** Writes for the user. */
  readonly words: Formatter;
  /** What the user said, which may name an account. */
  readonly said: string;
  /** Successful results of the conversation, the newest last. */
  readonly seen: { tool: string; data: Data }[];
  /** What started it, if it is a run of an automation. */
  readonly event: Happened | undefined;

  constructor({ tools, now, words, said, seen, event }: Pick<World, 'tools' | 'now' | 'words' | 'said' | 'seen' | 'event'>) {
    this.tools = tools;
    this.now = now;
    this.words = words;
    this.said = said;
    this.seen = seen;
    this.event = event;
  }

  /** One call. @throws Stopped unless it succeeds */
  *run(tool: string, input: Data): Plan<Data> {
    const [result] = yield* this.attempt([this.call(tool, input)]);
    if (result?.ok !== true) throw new Stopped(result === undefined ? `${named(tool)} gave nothing.` : obstacleText(result));
    return result.data;
  }

  /** Calls at once, of which some may fail. A new bank's data is still being fetched at the first call, so it is asked twice. */
  *attempt(calls: readonly Call[]): Plan<readonly Result[]> {
    const results = yield calls;
    const again = calls.filter((_call, index) => isBeingFetched(results[index]));
    const repeated = again.length === 0 ? [] : [...(yield again)];
    return results.map((result) => (isBeingFetched(result) ? (repeated.shift() ?? result) : result));
  }

  /** @throws Stopped if the tool is not offered */
  call(tool: string, input: Data): Call {
    const schema = this.tools.get(tool);
    if (schema === undefined && DEFERRED_AGENTS.some((agent) => tool.startsWith(agent)) && this.tools.has(CALL_TOOL)) {
      return { tool: CALL_TOOL, input: { name: tool, arguments: input } };
    }
    if (schema === undefined) {
      throw new Stopped(
        `I would use ${named(tool)} for this, but it is not among my tools. An account for it may have to be connected first.`,
      );
    }
    return { tool, input: { ...input, ...this.#account(tool, schema) } };
  }

  /** The account that the user named, or of what happened; the first one if the tool requires one. */
  #account(tool: string, { properties, required }: Data): { account?: string } {
    const account = isData(properties) ? properties.account : undefined;
    const names = isData(account) && Array.isArray(account.enum) ? account.enum.filter((one) => typeof one === 'string') : [];
    const named = names.find((name) => this.said.toLowerCase().includes(name.toLowerCase()));
    const isRequired = Array.isArray(required) && required.includes('account');
    const chosen = named ?? (names.length > 0 ? this.#eventAccount(tool) : undefined) ?? (isRequired ? names[0] : undefined);
    return chosen === undefined ? {} : { account: chosen };
  }

  #eventAccount(tool: string): string | undefined {
    const isOfWorkspace = /^(?:mail|calendar|drive)\./.test(this.event?.kind ?? '') && WORKSPACE_TOOL.test(tool);
    return isOfWorkspace ? this.event?.ids.account : undefined;
  }
}

function isBeingFetched(result: Result | undefined): boolean {
  return result?.ok === false && result.tool.startsWith('bank_') && /\bunavailable\b/.test(result.message);
}

/** “Search mail”: a tool has the name of its action with `_` in place of the dot. */
function named(tool: string): string {
  return `“${actionName(tool.replace('_', '.'))}”`;
}

/** In front of the message of an error. */
const CODE = /^(?:Error: )?[a-z]+(?:_[a-z]+)*: (?=\S)/;

/** What a call without a result means, in a sentence. */
export function obstacleText(result: Result): string {
  if (result.ok) return '';
  const { obstacle } = result;
  const call = named(result.tool);
  const message = saidToYou(result.message.replace(CODE, ''));
  switch (obstacle) {
    case 'waits':
      return `${call} needs your approval and waits for it. Nothing has happened yet; once you have decided, I go on.`;
    case 'denied':
      return `You denied ${call}, so nothing has happened.`;
    case 'refused':
      return `${call} was refused: ${message}`;
    case 'failed':
      return `${call} failed: ${message}`;
  }
}

interface Running {
  plan: Plan;
  calls: readonly Call[];
  answer: string | undefined;
}

/** Plans at once: each step has the calls of all that still go on. @returns their answers */
export function* together(plans: readonly Plan[]): Plan<string[]> {
  const running = plans.map((plan): Running => advance({ plan, calls: [], answer: undefined }, undefined));
  for (;;) {
    const calls = running.flatMap((one) => one.calls);
    if (calls.length === 0) return running.map(({ answer = '' }) => answer);
    const results = yield calls;
    let from = 0;
    for (const one of running) {
      const own = results.slice(from, from + one.calls.length);
      from += one.calls.length;
      if (own.length > 0) advance(one, own);
    }
  }
}

/** Plans one after the other: a later one may be about what an earlier one found. */
export function* inOrder(plans: readonly Plan[]): Plan {
  const answers: string[] = [];
  for (const plan of plans) answers.push(...(yield* together([plan])));
  return answers.join('\n\n');
}

function advance(running: Running, results: readonly Result[] | undefined): Running {
  try {
    const step = results === undefined ? running.plan.next() : running.plan.next(results);
    running.calls = step.done ? [] : step.value;
    if (step.done) running.answer = step.value;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    running.calls = [];
    running.answer = error.message;
  }
  return running;
}
