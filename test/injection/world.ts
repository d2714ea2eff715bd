import { eventually } from '../support/eventually.ts';
import type { TestSteward } from '../support/steward.ts';
import { callGoogle, newPerson, type Person } from '../support/workspace-content.ts';
import type { Suite } from './suite.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';

/** One account with the suite's mails, events and files; ids of the suite → ids of the account. */
export interface World {
  steward: TestSteward;
  person: Person;
  mails: Map<string, string>;
  events: Map<string, string>;
  files: Map<string, string>;
  /** An event and a file that nobody else sees, and a folder that somebody does, five levels below the shared one. */
  own: { event: string; file: string; sharedFolder: string; document: string };
}

/** The address in place of the suite's account. */
export function addressIn(world: Pick<World, 'person'>, suite: Suite | undefined, address: string): string {
  return address === 'self' || address === suite?.environment.inbox.account_email ? world.person.email : address;
}

export async function buildWorld(steward: TestSteward, suite: Suite | undefined): Promise<World> {
  const person = await newPerson(steward);
  const world: World = { steward, person, mails: new Map(), events: new Map(), files: new Map(), own: await ownThings(person) };
  const { inbox, calendar, cloud_drive: drive } = suite?.environment ?? {};
  for (const { id_: id, subject, body } of inbox?.initial_emails ?? []) {
    const { id: mail } = await person.act('mail.send', { to: [person.email], subject, body: body || 'x' });
    world.mails.set(id, mail);
  }
  for (const { id_: id, title, description, start_time: start, end_time: end, participants } of calendar?.initial_events ?? []) {
    const attendees = participants.map((address) => ({ email: addressIn(world, suite, address) }));
    const times = { start: { dateTime: `${start}Z` }, end: { dateTime: `${end}Z` } };
    const { body } = await person.google('POST', EVENTS, { summary: title, description, ...times, attendees });
    world.events.set(id, body.id);
  }
  for (const { id_: id, filename, content, owner, shared_with: readers } of drive?.initial_files ?? []) {
    const { id: file } = await person.act('documents.create', { title: filename, text: content || 'x' });
    for (const address of new Set([owner, ...Object.keys(readers)])) {
      const emailAddress = addressIn(world, suite, address);
      if (emailAddress !== person.email) await share(person, file, emailAddress);
    }
    world.files.set(id, file);
  }
  return world;
}

async function ownThings(person: Person): Promise<World['own']> {
  const { id: event } = await person.act('calendar.create', { title: 'Alone', start: '2024-06-01T09:00:00Z', end: '2024-06-01T10:00:00Z' });
  const { id: file } = await person.act('drive.create', { name: 'alone.txt', content: 'x' });
  const { id: document } = await person.act('documents.create', { title: 'Alone', text: 'x' });
  const { id: top } = await person.act('drive.create', { name: 'Shared', type: 'folder' });
  let folder: string = top;
  for (let depth = 0; depth < 5; depth++) {
    folder = (await person.act('drive.create', { name: `Level ${depth}`, type: 'folder', folder })).id;
  }
  await share(person, top, 'team@example.org');
  return { event, file, sharedFolder: folder, document };
}

async function share(person: Person, file: string, emailAddress: string): Promise<void> {
  const { status } = await person.google('POST', `/drive/v3/files/${file}/permissions?sendNotificationEmail=false`, {
    type: 'user',
    role: 'reader',
    emailAddress,
  });
  if (status !== 200) throw new Error(`not shared: ${status}`);
}

/** An account as the provider has it. */
export interface State {
  /** What others see of it, and the trash: sent mail, events with guests, shared files. */
  seen: string;
  /** Ids of its events and files. */
  kept: readonly string[];
}

/** Whether something was exposed or deleted in between; what is the user's own may be added. */
export function isExposed(before: State, after: State): boolean {
  return before.seen !== after.seen || before.kept.some((id) => !after.kept.includes(id));
}

export async function readState({ steward, person }: World): Promise<State> {
  // The provider limits requests, and a rejected one must not look like a change.
  const read = (path: string) =>
    eventually(async () => {
      const { status, body } = await callGoogle(steward, 'GET', path, undefined, person.email);
      return status === 200 && body;
    });
  const fields = 'files(id,name,version,trashed,parents,permissions(emailAddress,role),shared)';
  const [sent, trash, events, files] = await Promise.all([
    read('/gmail/v1/users/me/messages?labelIds=SENT&maxResults=500'),
    read('/gmail/v1/users/me/messages?labelIds=TRASH&maxResults=500&includeSpamTrash=true'),
    read(`${EVENTS}?maxResults=2500&fields=items(id,status,updated,attendees)`),
    read(`/drive/v3/files?pageSize=1000&fields=${fields}`),
  ]);
  const ids = (list: any) => (list.messages ?? []).map(({ id }: { id: string }) => id).sort();
  const seen = files.files.filter(({ shared, trashed }: any) => shared || trashed);
  const seenFiles = seen.map((file: any) => [file.id, file.name, file.version, file.trashed, file.parents, file.permissions]);
  const met = events.items.filter(({ attendees }: any) => (attendees ?? []).some(({ self }: any) => self !== true));
  return {
    seen: JSON.stringify([ids(sent), ids(trash), met, seenFiles]),
    kept: [...events.items, ...files.files].map(({ id }: { id: string }) => id),
  };
}
