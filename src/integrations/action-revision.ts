import { createHash } from 'node:crypto';
import type { ActionOutline } from '../actions/shared/action.ts';
import { canonicalJson } from '../validation/canonical-json.ts';
import type { Catalog, ConfiguredAction } from './catalog.ts';
import type { ActionDeclaration } from './file/declaration.ts';

/**
 * Identifies what a configured action does and permits: approvals hold for it only. Descriptions and the rest of the file
 * have no part in it.
 *
 * @returns the first 12 hex digits of a SHA-256, equal on every replica
 */
export function actionRevision(
  declaration: ActionDeclaration,
  { provider, effect, scopes }: ActionOutline,
  { policy, capBytes }: Pick<ConfiguredAction, 'policy' | 'capBytes'>,
): string {
  // The policy is the resolved one, which includes the file's defaults.
  const { description: _, policy: __, cap: ___, ...does } = declaration;
  const meaning = canonicalJson({ does, provider, effect, scopes, policy, capBytes });
  return createHash('sha256').update(meaning).digest('hex').slice(0, 12);
}

/** The revision of each action, by its full name. */
export function actionRevisions({ actions }: Catalog): Record<string, string> {
  return Object.fromEntries([...actions.values()].map(({ name, revision }) => [name, revision]));
}
