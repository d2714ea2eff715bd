import type { Account } from '../workspace-accounts.ts';
import { type Cell, makeSpreadsheets, spreadsheetFiles } from './sheets-world.ts';
import { makePresentations, presentationFiles } from './slides-world.ts';

/** A spreadsheet or presentation as a file; its own API has its content. */
export interface ListedFile {
  id: string;
  name: string;
  modifiedTime: string;
  /** Its export: the first sheet as CSV, or the slides' text. */
  text: string;
}

export function listedSpreadsheets(account: Account): ListedFile[] {
  const sheets = makeSpreadsheets(account);
  return spreadsheetFiles(account).map((file) => ({ ...file, text: csvOf(sheets.find(({ id }) => id === file.id)?.tabs[0]?.cells ?? []) }));
}

export function listedPresentations(account: Account): ListedFile[] {
  const presentations = makePresentations(account);
  return presentationFiles(account).map((file) => ({
    ...file,
    text: textRuns(presentations.find(({ id }) => id === file.id)?.slides).join('\n'),
  }));
}

/** RFC 4180. */
function csvOf(rows: readonly Cell[][]): string {
  return rows.map((row) => Array.from(row, csvField).join(',')).join('\r\n');
}

function csvField(cell: Cell): string {
  const shown = typeof cell === 'object' && cell !== null ? cell.shown : String(cell ?? '');
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function textRuns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('textRun' in value) return [String((value.textRun as { content?: string }).content ?? '').trimEnd()];
  return Object.values(value).flatMap(textRuns);
}
