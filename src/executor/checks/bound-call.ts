import type { DeclaredTool } from '../../actions/shared/action.ts';
import { AppError } from '../../errors.ts';
import type { Catalog, ConfiguredAction, LoadedAction } from '../../integrations/catalog.ts';
import type { SourceSettings } from '../../providers/mcp/source-settings.ts';
import type { ToolBinding } from '../../sources/tool-binding.ts';
import type { AgentAccountRow } from '../call/agent-accounts-repository.ts';
import type { Invocation } from '../call/call.ts';
import { accountsFor, selectAccount } from '../call/select-account.ts';
import { omitNulls } from './parse-arguments.ts';
import { withoutAccount } from './tool-call.ts';

/** The action of a call, with its arguments and its account. */
export interface BoundCall {
  configured: LoadedAction;
  account: AgentAccountRow;
  rawInput: unknown;
  input: unknown;
}

/**
 * Binds a call of a source's tool to the definition that its account has approved: what the action takes and does, only that says.
 *
 * @param found of an action with `pinned`
 * @param permitted the accounts that the caller may use
 * @throws AppError `not_configured`, `not_found`, `invalid_request`, `forbidden` for a tool that may not be called now
 */
export async function boundCall(
  binding: ToolBinding,
  { sources }: Catalog,
  found: ConfiguredAction,
  invocation: Invocation,
  permitted: readonly AgentAccountRow[],
): Promise<BoundCall> {
  const { userId } = invocation.user;
  const { provider, pinned } = found.action;
  const { source: name } = pinned as DeclaredTool;
  const source = sources.get(name);
  if (source === undefined) throw new AppError('not_configured', `The source ${name} is not set up on this server.`);
  const candidates = accountsFor(permitted, { provider, source: name });
  const isTool = invocation.action === found.tool;
  const called = isTool ? withoutAccount(invocation, await listedSchema(binding, found, source, userId, candidates)) : invocation;
  if (candidates.length === 0) throw notConnected(source);
  const account = selectAccount(candidates, source.label, called.account);
  const bound = await binding.bind(found.action, source, userId, account);
  const rawInput = called.input ?? {};
  const input = omitNulls(bound.inputSchema, rawInput);
  await binding.check(bound, input, userId);
  return { configured: configuredAs(found, bound.action), account, rawInput, input };
}

/** As of any account that is not connected; the source's name is that by which it is connected. */
function notConnected({ name, label }: SourceSettings): AppError {
  return new AppError('not_found', `No ${label} account is connected.`, { details: { choices: [], source: name } });
}

/** The schema with which the tool is listed, which tells whether it has an argument that is called as the account's. */
async function listedSchema(
  binding: ToolBinding,
  { action }: ConfiguredAction,
  source: SourceSettings,
  userId: string,
  candidates: readonly AgentAccountRow[],
): Promise<object> {
  const usual = candidates.find(({ isDefault }) => isDefault) ?? candidates[0];
  const shown = usual && (await binding.shown([action], source, userId, usual));
  return shown?.get(action.name)?.input ?? {};
}

/** What has become destructive asks, as the file's own destructive actions do. */
function configuredAs(found: ConfiguredAction, action: LoadedAction['action']): LoadedAction {
  const { policy } = found;
  const mustAsk = action.effect === 'destructive' && policy.approval === 'never';
  return { ...found, action, policy: mustAsk ? { ...policy, approval: 'destructive' } : policy };
}
