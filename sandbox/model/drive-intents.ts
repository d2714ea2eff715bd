import { excerpt, fileLine } from './answers.ts';
import type { Intent } from './intent.ts';
import { fileQuery, findFile } from './lookups.ts';
import type { Plan, World } from './plans.ts';
import { addressesIn, unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

const FILE = '(?:(?:the|my|our|this) )?(?:file|document|doc|spreadsheet|sheet|presentation|folder)';

/** Files and folders. */
export const driveIntents: readonly Intent[] = [
  {
    example: 'Who has access to the file Shared checklist?',
    pattern: /^(?:who (?:has access to|can (?:see|read|edit|open))|(?:show|list) the permissions of) (?<file>.+)$/i,
    *plan({ file = '' }, world) {
      const { id, name } = yield* findFile(file, world);
      const people = listOf((yield* world.run('drive_permissions', { id: str(id) })).items).map(
        ({ who, role }) => `${str(who)} (${str(role)})`,
      );
      return `“${str(name)}” can be seen by: ${people.join(', ')}.`;
    },
  },
  {
    example: 'Show the details of the file Floor plan.',
    pattern: /^(?:(?:show|what are|give)(?: me)? (?:the )?(?:details|information|info|properties) (?:of|about|on)|who owns) (?<file>.+)$/i,
    *plan({ file = '' }, world) {
      const { id } = yield* findFile(file, world);
      const info = yield* world.run('drive_info', { id: str(id) });
      return `${fileLine(info, world.words).slice(2)}. People: ${
        listOf(info.people)
          .map(({ who, role }) => `${str(who)} (${str(role)})`)
          .join(', ') || 'only you'
      }.`;
    },
  },
  {
    example: 'Create a folder “Trips”.',
    pattern: /^(?:create|make|add)(?: me)? (?:a )?(?:new )?folder (?:called |named )?(?<name>.+)$/i,
    *plan({ name = '' }, world) {
      const made = yield* world.run('drive_create', { name: unquoted(name), type: 'folder' });
      return `I created the folder “${str(made.name)}”.`;
    },
  },
  {
    example: 'Create a file “Packing list.txt”: boots, map.',
    pattern:
      /^(?:create|make|add|write)(?: me)? (?:a )?(?:new )?(?:text )?file (?:called |named )?(?<name>.+?)(?:(?: with the text|:) (?<content>[\s\S]+))?$/i,
    *plan({ name = '', content }, world) {
      const made = yield* world.run('drive_create', { name: unquoted(name), ...(content !== undefined && { content }) });
      return `I created the file “${str(made.name)}”.`;
    },
  },
  {
    example: 'Copy the file Budget.csv as Budget 2027.csv.',
    pattern: new RegExp(`^(?:copy|duplicate) (?<file>${FILE}.*?|it)(?: as (?<name>.+))?$`, 'i'),
    *plan({ file = '', name }, world) {
      const { id } = yield* findFile(file, world);
      const made = yield* world.run('drive_copy', { id: str(id), ...(name !== undefined && { name: unquoted(name) }) });
      return `I made the copy “${str(made.name)}”.`;
    },
  },
  {
    example: 'Move the file Chronicle.txt into the folder Recipes.',
    pattern: new RegExp(`^(?:move|put) (?<file>${FILE}.*?|it) (?:in)?to (?<folder>(?:the |my )?folder .+)$`, 'i'),
    *plan({ file = '', folder = '' }, world) {
      const { id, name } = yield* findFile(file, world);
      const into = yield* findFile(folder, world, 'folder');
      yield* world.run('drive_move', { id: str(id), folder: str(into.id) });
      return `I moved “${str(name)}” into the folder “${str(into.name)}”.`;
    },
  },
  {
    example: 'Rename the file Old protocol.txt to Protocol 2020.txt.',
    pattern: new RegExp(`^rename (?<file>${FILE}.*?|it) (?:to|as) (?<name>.+)$`, 'i'),
    *plan({ file = '', name = '' }, world) {
      const { id } = yield* findFile(file, world);
      const renamed = yield* world.run('drive_rename', { id: str(id), name: unquoted(name) });
      return `The file is now called “${str(renamed.name)}”.`;
    },
  },
  {
    example: 'Stop sharing the file Budget.csv with ana.mueller@example.org.',
    pattern:
      /^(?:(?:stop sharing|unshare) (?<file>.+?) (?:with|from) (?<who>\S+)|take away (?<other>\S+@\S+?)(?:['’]s)? access to (?<from>.+))$/i,
    *plan({ file, who, other, from = '' }, world) {
      const { id, name } = yield* findFile(file ?? from, world);
      const grantee = who ?? other ?? '';
      yield* world.run('drive_unshare', { id: str(id), who: grantee });
      return `${grantee} no longer has access to “${str(name)}”.`;
    },
  },
  {
    example: 'Share the file Budget.csv with ana.mueller@example.org.',
    pattern: /^(?:share|give) (?<file>.+?) (?:with|to) (?<who>\S+@\S+)(?<how>.*)$/i,
    *plan({ file = '', who = '', how = '' }, world) {
      const { id } = yield* findFile(file, world);
      const role = /\b(?:writ|edit|change)/i.test(how) ? 'writer' : /\bcomment/i.test(how) ? 'commenter' : undefined;
      const [email = who] = addressesIn(who);
      const shared = yield* world.run('drive_share', { id: str(id), email, ...(role !== undefined && { role }) });
      return `I shared “${str(shared.name)}” with ${str(shared.email)} (${str(shared.role)}).`;
    },
  },
  {
    example: 'Move the file Server.log to the trash.',
    pattern: new RegExp(`^(?:trash|delete|remove|move) (?<file>${FILE}.*?)(?: (?:in)?to the trash)?$`, 'i'),
    *plan({ file = '' }, world) {
      const { id } = yield* findFile(file, world);
      const trashed = yield* world.run('drive_trash', { id: str(id) });
      return `I moved “${str(trashed.name)}” to the trash.`;
    },
  },
  {
    example: 'Restore the file.',
    pattern: new RegExp(`^(?:restore|untrash|undelete|take) (?<file>${FILE}.*?)(?: out of the trash)?$`, 'i'),
    *plan(_said, world) {
      const id = str(world.seen.findLast(({ tool }) => tool === 'drive_trash')?.data.id);
      if (id === '') return 'I can only restore a file that I have moved to the trash in this conversation.';
      return `I took “${str((yield* world.run('drive_untrash', { id })).name)}” out of the trash.`;
    },
  },
  {
    example: 'Read the file Käsespätzle.',
    pattern: /^(?:read|open|show(?: me)?|what is in|print) (?<file>(?:the |my )?file .+)$/i,
    *plan({ file = '' }, world) {
      return yield* readFile(yield* findFile(file, world), world);
    },
  },
  {
    example: 'Find the file Budget.',
    pattern:
      /^(?:find|search(?: for)?|look for|show|list|where is|locate|which)(?: me)?(?: all)? (?<file>(?:(?:the|my|our|a|an) )?(?:files?|documents?|docs?|spreadsheets?|presentations?|folders?|pdfs?)\b.*)$/i,
    *plan({ file = '' }, world) {
      const { input } = fileQuery(file.replace(/ (?:i have|in my drive|do i have)$/i, ''));
      const files = listOf((yield* world.run('drive_search', input)).items);
      if (files.length === 0) return 'I found no such file.';
      return [`I found ${files.length} file(s):`, ...files.map((one) => fileLine(one, world.words))].join('\n');
    },
  },
];

/** Reads a file. @param file as a search finds it */
export function* readFile({ id }: Data, world: World): Plan {
  const { name, text } = yield* world.run('drive_read', { id: str(id) });
  return `“${str(name)}” says:\n\n${excerpt(text) || 'It is not text.'}`;
}
