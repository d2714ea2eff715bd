import type { Display } from '../../../src/executor/display/display.ts';
import type { DisplayField } from '../../../src/executor/display/display-fields.ts';
import type { Catalog } from '../../../src/integrations/catalog.ts';

/** The same catalog, with a question before each call. */
export function askingAlways(loaded: Catalog): Catalog {
  const actions = [...loaded.actions].map(([name, one]) => [name, { ...one, policy: { ...one.policy, approval: 'always' } }] as const);
  return { ...loaded, actions: new Map(actions) };
}

/** The same, with a question before each change. */
export function askingAboutChanges(loaded: Catalog): Catalog {
  const all = askingAlways(loaded);
  const actions = [...loaded.actions].map(
    ([name, one]) => [name, one.action.effect === 'read' ? one : (all.actions.get(name) ?? one)] as const,
  );
  return { ...loaded, actions: new Map(actions) };
}

/** What a field shows. */
export function shownIn(field: DisplayField): string {
  switch (field.kind) {
    case 'people':
      return field.people.map(({ name, address }) => (name === undefined ? address : `${name} <${address}>`)).join(', ');
    case 'file':
      return field.files.map(({ name, note }) => (note === undefined ? name : `${name} (${note})`)).join(', ');
    case 'list':
      return field.items.map(({ text }) => text).join(' | ');
    case 'change':
      return `${field.before?.text ?? ''} → ${field.after?.text ?? ''}`;
    default:
      return field.text;
  }
}

/** “Label: what it shows”. */
export const linesOf = ({ fields }: Pick<Display, 'fields'>) => fields.map((field) => `${field.label}: ${shownIn(field)}`);
