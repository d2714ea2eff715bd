import { sourceTools as words } from '../../public/language/en/accounts.js';
import { english } from '../../public/language/english.js';
import type { DeclaredTool, LazyAction } from '../actions/shared/action.ts';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { Effect } from '../providers/shared/declared-call.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import { type BoundAction, boundAction } from './bound-action.ts';
import type { PinnedTool } from './pinned-tool.ts';
import { changesIn, type FieldChange } from './shown-definition.ts';
import type { SourceTools, ToolsOf } from './source-tools.ts';

/** A tool as models and front ends are shown it. */
export interface ShownTool {
  description: string;
  effect: Effect;
  /** JSON Schema of what callers pass, and of results. */
  input: object;
  output: object;
}

/** An account whose tools are called, or listed. */
export interface SourceAccount extends Omit<ToolsOf, 'source'> {
  source: string | null;
  label: string;
}

/** Definitions of one action: users of a source that changes have several. */
const DEFINITIONS = 50;

const HELD: Record<Exclude<PinnedTool['state'], 'allowed' | 'held'> | 'unlisted', string> = {
  blocked: 'was blocked by the user',
  gone: 'is not offered by its server any more',
  unlisted: 'was not listed by its server, or not yet',
};

/** Makes actions of tools, as the account of a call has approved them. */
export class ToolBinding {
  readonly #tools: Pick<SourceTools, 'of' | 'definitions'>;
  readonly #clock: Clock;
  readonly #bound = new WeakMap<LazyAction, ReturnType<typeof boundedMap<BoundAction>>>();

  constructor(tools: Pick<SourceTools, 'of' | 'definitions'>, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /**
   * The action of a call.
   *
   * @param declared with `pinned`
   * @throws AppError `forbidden` with `details.reason: 'tool_held'` for a tool that may not be called now, and for one that has
   * changed the {@link FieldChange}s; `unavailable`
   */
  async bind(declared: LazyAction, source: SourceSettings, userId: string, account: SourceAccount): Promise<BoundAction> {
    const { tool, source: name } = declared.pinned as DeclaredTool;
    const pinned = (await this.#of(userId, account)).get(tool);
    const bound = this.#boundTo(declared, source, pinned);
    if (bound !== undefined) return bound;
    const state = pinned === undefined ? 'unlisted' : pinned.state === 'allowed' ? 'gone' : pinned.state;
    const hash = pinned?.listedHash;
    const changes = pinned?.state === 'held' ? await this.#changesIn(pinned, userId, account) : undefined;
    const why = state === 'held' ? whyHeld(pinned as PinnedTool, changes ?? []) : whyNot(state, pinned?.problem);
    throw new AppError('forbidden', `The tool ${tool} of ${account.label} ${why}.`, {
      details: { reason: 'tool_held', state, tool, account: account.id, source: name, ...(changes !== undefined && { hash, changes }) },
    });
  }

  async #changesIn({ approved, listedHash = '', pinnedBy }: PinnedTool, userId: string, { id }: SourceAccount): Promise<FieldChange[]> {
    // What the operator has approved, by its hash only, is not known.
    if (approved === undefined && pinnedBy === 'operator') return [];
    const listed = (await this.#tools.definitions(userId, id, [listedHash])).get(listedHash);
    return listed === undefined ? [] : changesIn(approved, listed);
  }

  /** Those of some actions that an account may call now, as they are shown; by their names. */
  async shown(
    declared: readonly LazyAction[],
    source: SourceSettings,
    userId: string,
    account: SourceAccount,
  ): Promise<ReadonlyMap<string, ShownTool>> {
    const tools = await this.#of(userId, account);
    const found = new Map<string, ShownTool>();
    for (const one of declared) {
      const bound = this.#boundTo(one, source, tools.get((one.pinned as DeclaredTool).tool));
      if (bound === undefined) continue;
      const { action, description, inputSchema } = bound;
      found.set(one.name, { description, effect: action.effect, input: inputSchema, output: action.output.jsonSchema });
    }
    return found;
  }

  /** Checks the arguments of a call. @throws AppError like {@link BoundAction.check} */
  check({ check }: BoundAction, input: unknown, userId: string): Promise<void> {
    return check(input, userId, this.#clock);
  }

  #of(userId: string, { id, source, toolsVersion }: SourceAccount): Promise<ReadonlyMap<string, PinnedTool>> {
    return this.#tools.of(userId, { id, source: source ?? '', toolsVersion });
  }

  /** @returns undefined: the tool may not be called */
  #boundTo(declared: LazyAction, source: SourceSettings, pinned: PinnedTool | undefined): BoundAction | undefined {
    const { state, approved: definition, approvedHash: hash } = pinned ?? {};
    if (state !== 'allowed' || definition === undefined || hash === undefined) return undefined;
    const known = this.#bound.get(declared) ?? boundedMap<BoundAction>(DEFINITIONS);
    this.#bound.set(declared, known);
    const bound = known.get(hash) ?? boundAction(declared, source, { definition, hash });
    known.set(hash, bound);
    return bound;
  }
}

function whyNot(state: keyof typeof HELD, problem: string | undefined): string {
  return state === 'gone' && problem !== undefined ? `can’t be used, because ${problem}` : HELD[state];
}

/** Fields are named, not repeated: what a server says reaches models only once it was approved. */
function whyHeld({ approved, pinnedBy }: PinnedTool, changes: readonly FieldChange[]): string {
  if (pinnedBy === 'operator')
    return 'is not as the operator of this service has approved it, so it waits until the operator has looked at it';
  const fields: Readonly<Record<string, string>> = words.fields;
  const named = english.list(changes.map(({ field }) => fields[field] ?? field));
  const what = approved === undefined ? 'is new' : `has changed since it was allowed${named === '' ? '' : ` (${named})`}`;
  return `${what}, so it waits until the user has looked at it`;
}
