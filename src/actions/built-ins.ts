import type { Action, ActionOutline, ActionSchemas, LazyAction } from './action.ts';
import outlines from './built-ins.json' with { type: 'json' };

/**
 * Where the code is, by the first part of an action's name. It is loaded with an agent's first use: all of it, with
 * its schemas, is a seventh of the start and a tenth of the memory at rest.
 */
const MODULES: Readonly<Record<string, () => Promise<readonly Action[]>>> = {
  mail: async () => (await import('./mail/mail-actions.ts')).mailActions,
  calendar: async () => (await import('./calendar/calendar-actions.ts')).calendarActions,
  documents: async () => (await import('./documents/documents-actions.ts')).documentsActions,
  drive: async () => (await import('./drive/drive-actions.ts')).driveActions,
  spreadsheets: async () => (await import('./spreadsheets/spreadsheets-actions.ts')).spreadsheetsActions,
  presentations: async () => (await import('./presentations/presentations-actions.ts')).presentationsActions,
  bank: async () => (await import('./bank/bank-actions.ts')).bankActions,
};

/** Every built-in action by name. What is told of each, and its schemas, are made from its code by `npm run generate`. */
export const BUILT_INS: ReadonlyMap<string, LazyAction> = new Map(
  (outlines as ActionOutline[]).map((outline) => [
    outline.name,
    { ...outline, schemas: () => schemas(outline.name), load: () => load(outline.name) },
  ]),
);

/** Every built-in action with its code, in the order in which they are told. */
export async function loadBuiltIns(): Promise<Action[]> {
  const actions = await Promise.all(Object.values(MODULES).map((loadModule) => loadModule()));
  return actions.flat();
}

let table: Promise<Readonly<Record<string, ActionSchemas>>> | undefined;

/** Read with the first list: making them of the code takes a hundred times as long, and with loading it half a second. */
async function schemas(name: string): Promise<ActionSchemas> {
  table ??= import('./built-in-schemas.json', { with: { type: 'json' } }).then(
    ({ default: made }) => made as typeof made & Record<string, ActionSchemas>,
  );
  const found = (await table)[name];
  if (found === undefined) throw outOfStep('built-in-schemas.json', name);
  return found;
}

async function load(name: string): Promise<Action> {
  const actions = await MODULES[name.slice(0, name.indexOf('.'))]?.();
  const action = actions?.find((one) => one.name === name);
  if (action === undefined) throw outOfStep('built-ins.json', name);
  return action;
}

function outOfStep(file: string, name: string): Error {
  return new Error(`${file} is out of step with the code of ${name}: run npm run generate`);
}
