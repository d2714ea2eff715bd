import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { Account } from '../workspace-accounts.ts';

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

const SEED = load(readFileSync(new URL('spreadsheets.yaml', import.meta.url), 'utf8')) as Seed[];

/** The account's spreadsheets as files of the drive. */
export function spreadsheetFiles(account: Account): { id: string; name: string; modifiedTime: string }[] {
  return makeSpreadsheets(account).map(({ id, title, modifiedTime }) => ({ id, name: title, modifiedTime }));
}

/** Always the same for an account. */
export function makeSpreadsheets(account: Account): Spreadsheet[] {
  return SEED.map(({ key, title, modifiedTime, tabs }) => ({
    id: idOf(account, key),
    title,
    modifiedTime,
    tabs: tabs.map(({ lines = 0, cells = numberedRows(lines), ...tab }) => ({ ...tab, cells: structuredClone(cells) })),
  }));
}

/** 44 characters starting with 1, in the provider's format. */
function idOf(account: Account, key: string): string {
  return `1${createHash('sha256').update(`sheets:${account.sub}:${key}`).digest('base64url')}`;
}

function numberedRows(count: number): Cell[][] {
  return Array.from({ length: count }, (_, index) => [index + 1, `line ${index + 1}`]);
}
