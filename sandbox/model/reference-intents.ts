import { eventText } from './answers.ts';
import { readDocument } from './document-intents.ts';
import { readFile } from './drive-intents.ts';
import type { Intent } from './intent.ts';
import { type Kind, referredTo } from './lookups.ts';
import { readMails } from './mail-intents.ts';
import { type Plan, Stopped, type World } from './plans.ts';
import { type Data, str } from './tool-results.ts';

const REFERENCE = '(?<what>it|this|that|them|the (?:first|second|third|last) one)';
const KINDS: readonly Kind[] = ['mail', 'event', 'file'];

/** Requests about what was found before, whatever it is. */
export const referenceIntents: readonly Intent[] = [
  {
    example: 'Read it.',
    pattern: new RegExp(`^(?:read|open|show(?: me)?|summari[sz]e|tell me what) ${REFERENCE}(?: is about| says)?$`, 'i'),
    *plan({ what = '' }, world) {
      const { kind, item } = found(what, world);
      if (kind === 'mail') return yield* readMails([item], world);
      if (kind === 'event') return eventText(yield* world.run('calendar_get', { id: str(item.id) }), world.words);
      return yield* readAnyFile(item, world);
    },
  },
  {
    example: 'Delete it.',
    pattern: new RegExp(`^(?:delete|trash|remove|throw away|move) ${REFERENCE}(?: (?:in)?to the trash)?$`, 'i'),
    *plan({ what = '' }, world) {
      const { kind, item } = found(what, world);
      const id = str(item.id);
      if (kind === 'mail') yield* world.run('mail_trash', { ids: [id] });
      else yield* world.run(kind === 'event' ? 'calendar_delete' : 'drive_trash', { id });
      return kind === 'event' ? 'I deleted the event.' : `I moved the ${kind} to the trash.`;
    },
  },
  {
    example: 'Restore it.',
    pattern: /^(?:restore|untrash|undelete|bring back) (?<what>it|them|that)$/i,
    *plan(_said, world) {
      const last = world.seen.findLast(({ tool }) => ['mail_trash', 'calendar_delete', 'drive_trash'].includes(tool));
      if (last === undefined) throw new Stopped('I have deleted nothing in this conversation.');
      const { tool, data } = last;
      if (tool === 'mail_trash') yield* world.run('mail_untrash', { ids: data.trashed, inbox: data.trashed });
      else if (tool === 'calendar_delete') yield* world.run('calendar_restore', { id: str(data.deleted) });
      else yield* world.run('drive_untrash', { id: str(data.id) });
      return 'It is back.';
    },
  },
];

function found(what: string, world: World): { kind: Kind; item: Data } {
  const reference = referredTo(what, world, KINDS);
  if (reference === undefined) throw new Stopped(`I don’t know what “${what}” is: let me find something first.`);
  return reference;
}

function* readAnyFile(file: Data, world: World): Plan {
  return yield* file.type === 'document' ? readDocument(file, world) : readFile(file, world);
}
