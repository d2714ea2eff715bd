import { covers } from '../../executor/call/client-grant.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Definition } from '../definition/definition.ts';

/**
 * Whether the runs of an automation change nothing: they only tell the user, or may call nothing but actions that read. Of what
 * the catalog doesn't have, such as the tools of a source, that isn't known.
 */
export function mayOnlyRead({ does, actions }: Pick<Definition, 'does' | 'actions'>, catalog: Catalog): boolean {
  if (does.type === 'notify') return true;
  const permitted = does.type === 'action' ? [does.action] : actions;
  return permitted.every((pattern) => readsOnly(pattern, catalog));
}

function readsOnly(pattern: string, { actions, agents }: Catalog): boolean {
  const agent = agents.get(pattern.slice(0, pattern.indexOf('.')));
  const covered = [...actions.values()].filter(({ name }) => covers(pattern, name));
  return agent?.source === undefined && covered.length > 0 && covered.every(({ action }) => action.effect === 'read');
}
