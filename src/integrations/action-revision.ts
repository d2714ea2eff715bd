import { createHash } from 'node:crypto';
import type { ActionOutline } from '../actions/shared/action.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import { canonicalJson } from '../validation/canonical-json.ts';
import type { Catalog, ConfiguredAction } from './catalog.ts';
import type { ActionDeclaration } from './file/declaration.ts';

/**
 * Identifies what a configured action does and permits: approvals hold for it only. Descriptions and the rest of the file
 * have no part in it.
 *
 * @param source of an action that calls a tool of one
 * @returns the first 12 hex digits of a SHA-256, equal on every replica
 */
export function actionRevision(
  declaration: ActionDeclaration,
  { provider, effect, scopes }: ActionOutline,
  { policy, capBytes }: Pick<ConfiguredAction, 'policy' | 'capBytes'>,
  source?: SourceSettings,
): string {
  // The policy is the resolved one, which includes the file's defaults.
  const { description: _, policy: __, cap: ___, ...does } = declaration;
  const server = source && { name: source.name, url: source.url, trust: source.trust };
  const meaning = canonicalJson({ does, provider, effect, scopes, policy, capBytes, server });
  return createHash('sha256').update(meaning).digest('hex').slice(0, 12);
}

/** The revision of each action, by its full name. */
export function actionRevisions({ actions }: Catalog): Record<string, string> {
  return Object.fromEntries([...actions.values()].map(({ name, revision }) => [name, revision]));
}
