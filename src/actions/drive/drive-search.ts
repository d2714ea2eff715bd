import { z } from 'zod';
import { list } from '../../providers/transport/response-list.ts';
import { FOLDER } from '../../providers/workspace/folder-contents.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { PAGE_BYTES, pagePart, placeOf } from '../shared/page-part.ts';
import {
  driveFile,
  fileItem,
  fileSource,
  folderIdOf,
  LIST_FIELDS,
  MY_DRIVE,
  NATIVE,
  openFolder,
  shownFile,
  TOP_FOLDER,
  toItem,
} from './drive-file.ts';

const TYPES = {
  document: `mimeType = '${NATIVE}document'`,
  spreadsheet: `mimeType = '${NATIVE}spreadsheet'`,
  presentation: `mimeType = '${NATIVE}presentation'`,
  folder: `mimeType = '${FOLDER}'`,
  pdf: "mimeType = 'application/pdf'",
  image: "mimeType contains 'image/'",
  text: "mimeType contains 'text/'",
};
const typeNames = Object.keys(TYPES) as [keyof typeof TYPES, ...(keyof typeof TYPES)[]];

const input = z.strictObject({
  query: text(500).optional().describe('Words in the name or the content.'),
  type: z.enum(typeNames).optional().describe('Only files of this type.'),
  folder: fileReference().optional().describe('Only in this folder, by id or URL; `root` is My Drive.'),
  max: z.int().min(1).max(50).default(20).describe('Most files.'),
  page: text(4_096).optional().describe('`next` of the previous result.'),
});

const fileList = z.object({
  nextPageToken: z.string().max(4_096).optional(),
  incompleteSearch: z.boolean().optional(),
  files: list(driveFile, 1_000).default([]),
});

export const searchAction = builtIn('workspace', {
  name: 'drive.search',
  effect: 'read',
  description: 'Find files and folders by words, type and folder. Without words, they are listed, last changed first.',
  scopes: ['drive'],
  input,
  output: z.object({
    items: z.array(fileItem),
    next: z.string().optional().describe('There are more: pass this as `page`.'),
    incomplete: z.literal(true).optional().describe('The provider did not search all files: use a narrower query, or a folder.'),
  }),
  sources: ({ items }) => items.map(fileSource),
  summary: ({ query }) => (query === undefined ? 'List files' : `Search files for ${quoted(query)}`),
  async shown({ folder }, _facts, { session }) {
    if (folder === undefined) return {};
    return { items: { folder: [folder === MY_DRIVE ? TOP_FOLDER : shownFile(await openFolder(session, folder))] } };
  },
  async run(wanted, { session, capBytes }) {
    const { query, folder, max, page } = wanted;
    const place = placeOf(page);
    const parent = folder && (await folderIdOf(session, folder));
    const params = {
      q: searchQuery(wanted, parent),
      pageSize: max,
      pageToken: place.token,
      // The provider rejects an order for full-text searches, which are sorted by relevance.
      ...(query === undefined && { orderBy: 'modifiedTime desc' }),
      // The user's own files lack those of shared drives that the user never opened; My Drive has none of them.
      corpora: parent === MY_DRIVE ? 'user' : 'allDrives',
      includeItemsFromAllDrives: true,
      supportsAllDrives: true,
      fields: LIST_FIELDS,
    };
    const { files, nextPageToken, incompleteSearch } = await session.call('drive.files.list', params, fileList);
    return {
      ...pagePart(files.slice(0, max).map(toItem), place, nextPageToken, capBytes - PAGE_BYTES),
      ...(incompleteSearch === true && { incomplete: true as const }),
    };
  },
});

function searchQuery({ query, type }: z.output<typeof input>, parent: string | undefined): string {
  const terms = ['trashed = false'];
  if (query !== undefined) terms.push(`(name contains ${quote(query)} or fullText contains ${quote(query)})`);
  if (type !== undefined) terms.push(TYPES[type]);
  if (parent !== undefined) terms.push(`${quote(parent)} in parents`);
  return terms.join(' and ');
}

/** @see https://developers.google.com/workspace/drive/api/guides/search-files: `'` and `\` are escaped by `\` */
function quote(value: string): string {
  return `'${value.replace(/['\\]/g, '\\$&')}'`;
}
