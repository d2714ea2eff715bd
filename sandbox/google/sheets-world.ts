import { readSeed } from '../read-seed.ts';
import { type Account, fileIdOf } from '../workspace-accounts.ts';

/** A cell: a plain value, or one with a format or formula. undefined or null: empty. */
export type Cell = string | number | boolean | RichCell | undefined | null;

export interface RichCell {
  value: string | number | boolean;
  /** The displayed text. */
  shown: string;
  formula?: string;
  /** Whether `value` counts days since 30 December 1899. */
  isDate?: true;
}

export interface Tab {
  id: number;
  title: string;
  rows: number;
  columns: number;
  hidden?: true;
  cells: Cell[][];
}

export interface Spreadsheet {
  id: string;
  title: string;
  modifiedTime: string;
  tabs: Tab[];
}

export interface SheetsState {
  spreadsheets: Spreadsheet[];
}

interface Seed {
  key: string;
  title: string;
  modifiedTime: string;
  tabs: (Omit<Tab, 'cells'> & { cells?: Cell[][]; lines?: number })[];
}

const SEED = readSeed<Seed[]>('spreadsheets.yaml', import.meta.url);

/** The account's spreadsheets as files of the drive. */
export function spreadsheetFiles(account: Account): { id: string; name: string; modifiedTime: string }[] {
  return makeSpreadsheets(account).map(({ id, title, modifiedTime }) => ({ id, name: title, modifiedTime }));
}

/** Always the same for an account. */
export function makeSpreadsheets(account: Account): Spreadsheet[] {
  return SEED.map(({ key, title, modifiedTime, tabs }) => ({
    id: fileIdOf(account, 'sheets', key),
    title,
    modifiedTime,
    tabs: tabs.map(({ lines = 0, cells = numberedRows(lines), ...tab }) => ({ ...tab, cells: structuredClone(cells) })),
  }));
}

function numberedRows(count: number): Cell[][] {
  return Array.from({ length: count }, (_, index) => [index + 1, `line ${index + 1}`]);
}
