import { createHash } from 'node:crypto';
import type { Account } from '../workspace-accounts.ts';

/** A cell: a plain value, or one with a format or formula. undefined: empty. */
export type Cell = string | number | boolean | RichCell | undefined;

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

/** The account's spreadsheets as files of the drive. */
export function spreadsheetFiles(account: Account): { id: string; name: string; modifiedTime: string }[] {
  return makeSpreadsheets(account).map(({ id, title, modifiedTime }) => ({ id, name: title, modifiedTime }));
}

/** Always the same for an account: a budget, a list with gaps and unusual tab names, and an empty one. */
export function makeSpreadsheets(account: Account): Spreadsheet[] {
  return [
    { id: idOf(account, 'budget'), title: 'Household budget 2026', modifiedTime: '2026-11-02T18:21:07.412Z', tabs: budgetTabs() },
    { id: idOf(account, 'guests'), title: 'Gästeliste & Ideen', modifiedTime: '2026-10-19T07:45:33.120Z', tabs: guestTabs() },
    {
      id: idOf(account, 'empty'),
      title: 'Untitled spreadsheet',
      modifiedTime: '2026-09-30T12:00:00.000Z',
      tabs: [{ id: 0, title: 'Sheet1', rows: 1000, columns: 26, cells: [] }],
    },
  ];
}

/** 44 characters starting with 1, in the provider's format. */
function idOf(account: Account, key: string): string {
  return `1${createHash('sha256').update(`sheets:${account.sub}:${key}`).digest('base64url')}`;
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June'];
const RENT = 1250;

function budgetTabs(): Tab[] {
  let sum = 0;
  const rows = MONTHS.map((month, index): Cell[] => {
    const row = index + 2;
    const food = 412.35 + index * 13.5;
    const travel = index % 2 === 0 ? 89.9 : 240;
    const total = RENT + food + travel;
    sum += total;
    const computed = { ...money(total), formula: `=SUM(C${row}:E${row})` };
    return [month, date(2026, index + 1, 1), money(RENT), money(food), money(travel), computed, index < 4];
  });
  return [
    {
      id: 0,
      title: 'Budget',
      rows: 200,
      columns: 10,
      cells: [
        ['Month', 'From', 'Rent', 'Food', 'Travel', 'Total', 'Closed'],
        ...rows,
        [],
        ['Sum', undefined, undefined, undefined, undefined, { ...money(sum), formula: '=SUM(F2:F7)' }],
      ],
    },
    {
      id: 1184026527,
      title: 'Año 2026',
      rows: 50,
      columns: 5,
      cells: [
        ['Día', 'Concepto', 'Importe'],
        [date(2026, 3, 29), 'Señal del piso', money(500)],
        [date(2026, 10, 25), 'Vuelo a Cádiz ✈️', money(129.99)],
        [{ value: 46_320.4375, shown: '2026-10-25 10:30', isDate: true }, 'Taxi', money(-18.5)],
      ],
    },
    {
      id: 77,
      title: 'Rates',
      rows: 20,
      columns: 3,
      hidden: true,
      cells: [
        ['USD', 0.92],
        ['GBP', { value: 0.0125, shown: '1.25%' }],
      ],
    },
  ];
}

function guestTabs(): Tab[] {
  return [
    {
      id: 0,
      title: "Tom's guests",
      rows: 100,
      columns: 8,
      cells: [
        ['Name', 'Zusage', 'Personen', 'Anmerkung'],
        ['Søren Ångström', true, 2],
        [],
        ['Zoë', false],
        ['李雷', undefined, 1, 'vegetarisch, kommt später'],
        [undefined, undefined, undefined, undefined, 'nach hinten verrutscht'],
        ['José', true, { value: 3, shown: '3', formula: '=1+2' }],
        [],
        [],
      ],
    },
    { id: 412, title: 'Q1', rows: 30, columns: 4, cells: [['Idee'], ['Musik: "Für Elise"'], ['Kuchen']] },
    { id: 413, title: 'Wow! A1', rows: 10, columns: 2, cells: [['sehr', 'gut']] },
    {
      id: 414,
      title: 'Long',
      rows: 1500,
      columns: 2,
      cells: Array.from({ length: 1200 }, (_, index): Cell[] => [index + 1, `line ${index + 1}`]),
    },
  ];
}

const DAY_MS = 24 * 3_600_000;

function date(year: number, month: number, day: number): RichCell {
  const at = Date.UTC(year, month - 1, day);
  return { value: (at - Date.UTC(1899, 11, 30)) / DAY_MS, shown: new Date(at).toISOString().slice(0, 10), isDate: true };
}

function money(value: number): RichCell {
  return { value: round(value), shown: euros(value) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function euros(value: number): string {
  return `${value < 0 ? '-' : ''}€${Math.abs(value)
    .toFixed(2)
    .replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}
