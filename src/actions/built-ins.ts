import { loadOnce } from '../concurrency/load-once.ts';
import outlines from './built-ins.json' with { type: 'json' };
import type { Action, ActionOutline, ActionSchemas, LazyAction } from './shared/action.ts';

/**
 * Modules by the first part of an action's name, loaded on an agent's first use: all of them, with their schemas, take
 * a seventh of the start and a tenth of the memory at rest.
 */
const MODULES: Readonly<Record<string, () => Promise<readonly Action[]>>> = {
  mail: async () => (await import('./mail/mail-actions.ts')).mailActions,
  calendar: async () => (await import('./calendar/calendar-actions.ts')).calendarActions,
  documents: async () => (await import('./documents/documents-writing.ts')).documentsActions,
  drive: async () => (await import('./drive/drive-actions.ts')).driveActions,
  spreadsheets: async () => (await import('./spreadsheets/spreadsheets-read.ts')).spreadsheetsActions,
  presentations: async () => (await import('./presentations/presentations-actions.ts')).presentationsActions,
  automations: async () => (await import('./automations/propose-automation.ts')).automationsActions,
  bank: async () => (await import('./bank/bank-actions.ts')).bankActions,
};

/** Every built-in action by name. Outlines and schemas are generated from the code by `npm run generate`. */
export const BUILT_INS: ReadonlyMap<string, LazyAction> = new Map(
  (outlines as ActionOutline[]).map((outline) => [
    outline.name,
    { ...outline, schemas: () => schemas(outline.name), load: () => load(outline.name) },
  ]),
);

/** Every built-in action with its code, in the order of the list. */
export async function loadBuiltIns(): Promise<Action[]> {
  const actions = await Promise.all(Object.values(MODULES).map((loadModule) => loadModule()));
  return actions.flat();
}

/** Read with the first list: generating them from the code takes half a second. */
const loadSchemas = loadOnce(async (): Promise<Readonly<Record<string, ActionSchemas>>> => {
  return (await import('./built-in-schemas.json', { with: { type: 'json' } })).default;
});

async function schemas(name: string): Promise<ActionSchemas> {
  const found = (await loadSchemas())[name];
  if (found === undefined) throw outdated('built-in-schemas.json', name);
  return found;
}

async function load(name: string): Promise<Action> {
  const actions = await MODULES[name.slice(0, name.indexOf('.'))]?.();
  const action = actions?.find((candidate) => candidate.name === name);
  if (action === undefined) throw outdated('built-ins.json', name);
  return action;
}

function outdated(file: string, name: string): Error {
  return new Error(`${file} is outdated for ${name}: run npm run generate`);
}
