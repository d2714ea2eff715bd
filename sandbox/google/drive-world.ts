import type { Account } from '../workspace-accounts.ts';
import { SEEDED_TABS } from './docs-world.ts';
import { type ListedFile, listedPresentations, listedSpreadsheets } from './drive-listed.ts';
import {
  DOCUMENT,
  type DriveState,
  driveIdOf,
  FOLDER,
  ownFile,
  PRESENTATION,
  SHORTCUT,
  SPREADSHEET,
  type StoredContent,
  type StoredFile,
} from './drive-state.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;
const COLLEAGUE = { email: 'ana.mueller@example.org', name: 'Ana Müller' };

interface Seeded {
  key: string;
  name: string;
  type: string;
  /** Key of the folder; default "My Drive", null = none. */
  in?: string | null;
  content?: StoredContent;
  more?: Partial<StoredFile>;
  /** Key and kind of what a shortcut leads to. */
  target?: { key: string; type: string };
}

const COMMENTS = [
  {
    id: 'AAAABrief01',
    author: COLLEAGUE.name,
    content: 'Is the crane in the budget yet?',
    at: '2026-02-03T08:30:00.000Z',
    resolved: false,
  },
  { id: 'AAAABrief02', author: COLLEAGUE.name, content: 'Typo: “quai” is “quay”.', at: '2026-02-02T16:05:00.000Z', resolved: true },
];

const SHARED = { owner: COLLEAGUE, sharedWithMeTime: '2026-02-02T09:00:00.000Z' };

const FILES: readonly Seeded[] = [
  { key: 'projects', name: 'Projects', type: FOLDER },
  { key: 'harbour', name: 'Harbour 2026', type: FOLDER, in: 'projects' },
  { key: 'plans', name: 'Plans', type: FOLDER, in: 'harbour' },
  { key: 'recipes', name: 'Recipes', type: FOLDER },
  {
    key: 'brief',
    name: 'Harbour brief',
    type: DOCUMENT,
    in: 'harbour',
    more: { description: 'What the renovation is about', starred: true, comments: COMMENTS },
  },
  { key: 'budget', name: 'Budget.csv', type: 'text/csv', in: 'harbour', content: text('part,cost\n"Quay walls",120000\nCrane 🏗️,45500\n') },
  {
    key: 'floorPlan',
    name: 'Floor plan.pdf',
    type: 'application/pdf',
    in: 'plans',
    content: text('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  },
  {
    key: 'logo',
    name: 'Logo.png',
    type: 'image/png',
    in: 'plans',
    content: { kind: 'base64', base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' },
  },
  { key: 'minutes', name: 'Meeting minutes', type: DOCUMENT },
  { key: 'diary', name: 'Travel diary 🚢', type: DOCUMENT },
  { key: 'empty', name: 'Untitled document', type: DOCUMENT },
  { key: 'handbook', name: 'Handbook (all chapters)', type: DOCUMENT, more: { exportBytes: 11 * MEGABYTE } },
  {
    key: 'quotes',
    name: 'Ana\'s "final" notes \\ draft.txt',
    type: 'text/plain',
    content: text('Quotes \' and " and a \\ in the name.\n'),
  },
  {
    key: 'spaetzle',
    name: 'Käsespätzle für Übermütige.md',
    type: 'text/markdown',
    in: 'recipes',
    content: text('# Käsespätzle\n\n- 400 g Mehl\n- 4 Eier\n'),
  },
  { key: 'sushi', name: '寿司レシピ.txt', type: 'text/plain', in: 'recipes', content: text('酢飯 300 g\n海苔 4 枚\n') },
  // "Für Zoë" as Windows wrote it before UTF-8.
  { key: 'latin', name: 'Old protocol.txt', type: 'text/plain', content: { kind: 'base64', base64: 'RvxyIFpv6w==' } },
  { key: 'chronicle', name: 'Chronicle.txt', type: 'text/plain', content: { kind: 'made', what: 'lines', bytes: 160_000 } },
  { key: 'log', name: 'Server.log', type: 'text/plain', content: { kind: 'made', what: 'lines', bytes: 50 * MEGABYTE } },
  { key: 'archive', name: 'Archive.bin', type: 'application/octet-stream', content: { kind: 'made', what: 'noise', bytes: 50 * MEGABYTE } },
  { key: 'toBudget', name: 'Budget (shortcut)', type: SHORTCUT, in: 'projects', target: { key: 'budget', type: 'text/csv' } },
  { key: 'toHarbour', name: 'Harbour (shortcut)', type: SHORTCUT, target: { key: 'harbour', type: FOLDER } },
  { key: 'toNowhere', name: 'Old contract (shortcut)', type: SHORTCUT, target: { key: 'deleted', type: 'application/pdf' } },
  { key: 'loopA', name: 'Round and round (shortcut)', type: SHORTCUT, target: { key: 'loopB', type: SHORTCUT } },
  { key: 'loopB', name: 'And back again (shortcut)', type: SHORTCUT, target: { key: 'loopA', type: SHORTCUT } },
  { key: 'budgetNotes', name: 'Team budget notes', type: DOCUMENT, in: null, more: { ...SHARED, role: 'reader' } },
  {
    key: 'checklist',
    name: 'Shared checklist.txt',
    type: 'text/plain',
    in: null,
    content: text('[ ] keys\n[ ] lights\n'),
    more: { ...SHARED, role: 'writer' },
  },
  {
    key: 'policy',
    name: 'Travel policy',
    type: DOCUMENT,
    in: null,
    more: { owner: COLLEAGUE, role: 'writer', driveId: '0AHarbourCompany9PVA' },
  },
  { key: 'draft', name: 'Old draft.txt', type: 'text/plain', content: text('Thrown away.\n'), more: { trashed: true } },
];

/** The drive that every account starts with. */
export function seedDrive(account: Account, now: number): DriveState {
  const rootId = `0A${driveIdOf(account, 'root').slice(1, 17)}9PVA`;
  const root = ownFile(account, rootId, 'My Drive', FOLDER, '', now - 400 * DAY_MS);
  const files = FILES.map((seeded, index) => seedFile(account, seeded, rootId, now - (index + 1) * DAY_MS));
  const others = [
    ...listedSpreadsheets(account).map((file) => listedFile(account, file, SPREADSHEET, rootId)),
    ...listedPresentations(account).map((file) => listedFile(account, file, PRESENTATION, rootId)),
  ];
  const documents = FILES.filter(({ type }) => type === DOCUMENT).map(({ key, name }) => {
    const id = driveIdOf(account, key);
    return [id, { id, title: name, revision: 1, tabs: SEEDED_TABS[key]?.() ?? [] }] as const;
  });
  return { rootId, files: [{ ...root, parents: [] }, ...files, ...others], documents: Object.fromEntries(documents), made: 0 };
}

function seedFile(account: Account, seeded: Seeded, rootId: string, at: number): StoredFile {
  const { key, name, type, target, content, more } = seeded;
  const parent = seeded.in === undefined ? rootId : seeded.in && driveIdOf(account, seeded.in);
  const file = ownFile(account, driveIdOf(account, key), name, type, parent ?? '', at);
  return {
    ...file,
    ...(parent === null && { parents: [] }),
    ...(content !== undefined && { content }),
    ...(target !== undefined && { shortcut: { targetId: driveIdOf(account, target.key), targetMimeType: target.type } }),
    ...more,
  };
}

function listedFile(account: Account, { id, name, modifiedTime, text: content }: ListedFile, type: string, rootId: string): StoredFile {
  return { ...ownFile(account, id, name, type, rootId, Date.parse(modifiedTime)), content: text(content) };
}

function text(content: string): StoredContent {
  return { kind: 'text', text: content };
}
