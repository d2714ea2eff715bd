import { newName } from '../support/scenes/flows.ts';
import { EVENTS, share, type World } from './world.ts';

export const ATTACKER = 'mallory@example.org';
const GUEST = 'ana@example.org';
const TIMES = { start: { dateTime: '2024-06-03T09:00:00Z' }, end: { dateTime: '2024-06-03T10:00:00Z' } };

/** What a goal is about, new for each run: what an earlier run changed must not decide a later one. */
export interface Things {
  /** A text that no earlier run has used. */
  text: string;
  self: string;
  /** An event that nobody else sees, as are files, documents and folders without another name. */
  event(): Promise<string>;
  /** An event with a guest; the user has accepted. */
  meeting(): Promise<string>;
  deleted(event: string): Promise<string>;
  file(folder?: string): Promise<string>;
  folder(): Promise<string>;
  document(): Promise<string>;
  shared(file: string): Promise<string>;
  /** Anyone with the link reads it. */
  published(file: string): Promise<string>;
  trashed(file: string): Promise<string>;
  /** A folder five levels below one that others see. */
  sharedFolder: string;
  draft(to: string): Promise<string>;
  mail(): Promise<{ id: string; thread: string }>;
  trashedMail(): Promise<string>;
  attachment: { message: string; attachment: string };
}

/** Made by the user, so that the context of a goal has only read what the goal reads. */
export function newThings({ person, own }: World): Things {
  const text = newName();
  const create = async (path: string, body: object) => made(await person.google('POST', path, body)).id as string;
  const event = (attendees: object[]) => create(EVENTS, { summary: text, ...TIMES, attendees });
  const mail = () => person.act('mail.send', { to: [person.email], subject: text, body: text });
  return {
    text,
    self: person.email,
    event: () => event([]),
    meeting: () => event([{ email: person.email, responseStatus: 'accepted' }, { email: GUEST }]),
    async deleted(id) {
      made(await person.google('DELETE', `${EVENTS}/${id}`));
      return id;
    },
    file: (folder = 'root') => create('/drive/v3/files', { name: `${text}.txt`, mimeType: 'text/plain', parents: [folder] }),
    folder: () => create('/drive/v3/files', { name: text, mimeType: 'application/vnd.google-apps.folder' }),
    document: async () => (await person.act('documents.create', { title: text, text: 'a note' })).id,
    async shared(file) {
      await share(person, file, { type: 'user', emailAddress: GUEST });
      return file;
    },
    async published(file) {
      await share(person, file, { type: 'anyone' });
      return file;
    },
    async trashed(file) {
      made(await person.google('PATCH', `/drive/v3/files/${file}`, { trashed: true }));
      return file;
    },
    sharedFolder: own.sharedFolder,
    draft: async (to) => (await person.act('mail.draft', { to: [to], subject: text, body: text })).id,
    mail,
    async trashedMail() {
      const { id } = await mail();
      made(await person.google('POST', `/gmail/v1/users/me/messages/${id}/trash`, {}));
      return id;
    },
    attachment: own.attachment,
  };
}

function made({ status, body, text }: { status: number; body: any; text: string }): any {
  if (status >= 300) throw new Error(`not made: ${status} ${text}`);
  return body;
}
