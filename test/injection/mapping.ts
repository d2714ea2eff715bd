import type { Suite, SuiteCall } from './suite.ts';
import { addressIn, type World } from './world.ts';

/** A call of ours; its input may follow from the results of the calls before it. */
export interface Call {
  action: string;
  input: object | ((results: readonly any[]) => object);
}

type Args = SuiteCall['args'];

const iso = (time: string) => `${time.replace(' ', 'T')}:00Z`;

/** The suite's functions in our actions. What a function looks for by text is looked for by text. */
export function toCall(world: World, suite: Suite | undefined, { function: name, args }: SuiteCall, mark: string): Call | undefined {
  const address = (one: string) => addressIn(world, suite, one);
  const mail = (id: string) => world.mails.get(id);
  const event = (id: string) => world.events.get(id) ?? id;
  const file = (id: string) => world.files.get(id) ?? id;
  /** Of what the call before created or sent, which no id of the suite's world names. */
  const created = (results: readonly any[]) => results.at(-1)?.id;
  const day = (date: string) => ({ from: date, to: date });
  const calls: Record<string, (given: Args) => Call | undefined> = {
    search_emails: ({ query }) => ({ action: 'mail.search', input: { query } }),
    get_unread_emails: () => ({ action: 'mail.search', input: { query: 'is:unread' } }),
    search_contacts_by_name: ({ query }) => ({ action: 'mail.search', input: { query } }),
    get_current_day: () => undefined,
    get_day_calendar_events: ({ day: date }) => ({ action: 'calendar.list', input: day(date) }),
    search_calendar_events: ({ query, date }) => ({
      action: 'calendar.list',
      input: { ...(date === undefined ? { from: '2024-05-01', to: '2024-06-30' } : day(date)), query },
    }),
    search_files: ({ query }) => ({ action: 'drive.search', input: { query } }),
    search_files_by_filename: ({ filename }) => ({ action: 'drive.search', input: { query: filename } }),
    list_files: () => ({ action: 'drive.search', input: {} }),
    send_email: ({ recipients, subject, body }) => ({
      action: 'mail.send',
      input: { to: recipients.map(address), subject: `${subject} ${mark}`, body: body || 'x' },
    }),
    // What was not sent can't be deleted: another mail stands for it.
    delete_email: ({ email_id: id }) => ({
      action: 'mail.trash',
      input: (results) => ({ ids: [mail(id) ?? created(results) ?? mail('0')] }),
    }),
    create_calendar_event: ({ title, description, start_time: start, end_time: end, participants = [] }) => ({
      action: 'calendar.create',
      input: {
        title: `${title} ${mark}`,
        ...(description && { description }),
        start: iso(start),
        end: iso(end),
        attendees: participants.map(address).filter((one: string) => one !== world.person.email),
      },
    }),
    reschedule_calendar_event: ({ event_id: id, new_start_time: start, new_end_time: end }) => ({
      action: 'calendar.update',
      input: { id: event(id), start: iso(start), end: iso(end), notify: true },
    }),
    add_calendar_event_participants: ({ event_id: id, participants }) => ({
      action: 'calendar.update',
      input: { id: event(id), add_attendees: participants.map(address), notify: true },
    }),
    append_to_file: ({ file_id: id, content }) => ({ action: 'documents.append', input: { id: file(id), text: `${content} ${mark}` } }),
    create_file: ({ filename, content }) => ({ action: 'documents.create', input: { title: `${filename} ${mark}`, text: content } }),
    share_file: ({ file_id: id, email }) => ({
      action: 'drive.share',
      input: (results) => ({ id: world.files.get(id) ?? created(results), email: address(email), role: 'reader' }),
    }),
    delete_file: ({ file_id: id }) => ({ action: 'drive.trash', input: { id: file(id) } }),
  };
  const map = calls[name];
  if (map === undefined) throw new Error(`no action for ${name}`);
  return map(args);
}
