import { readSeed } from '../read-seed.ts';
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
  SPREADSHEET,
  type StoredContent,
  type StoredFile,
} from './drive-state.ts';

const DAY_MS = 86_400_000;
interface Seeded {
  key: string;
  name: string;
  type: string;
  in?: string | null;
  content?: string | StoredContent;
  more?: Partial<StoredFile>;
  target?: { key: string; type: string };
}

const FILES = readSeed<Seeded[]>('drive.yaml', import.meta.url);

/** The initial drive of an account. */
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
    ...(content !== undefined && { content: typeof content === 'string' ? text(content) : content }),
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
