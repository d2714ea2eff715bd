import type { Person } from '../support/emulators/workspace-content.ts';

/**
 * Runs every action of the workspace, in the variants whose requests differ.
 *
 * @param revert runs an action, then what reverts it
 */
export async function callWorkspaceActions(act: Act, revert: Act): Promise<void> {
  await callMail(act, revert);
  await callCalendar(act, revert);
  await callDocuments(act, revert);
  await callDrive(act, revert);
}

type Act = Person['act'];

/** Here it matters what was asked: a busy machine may not convert a file within the time for it, which is reported as its size. */
function unlessTooSlow(error: { code?: string }): void {
  if (error.code !== 'too_large') throw error;
}

async function itemsOf(act: Act, action: string, input: object): Promise<any[]> {
  return (await act(action, input)).items;
}

async function callMail(act: Act, revert: Act): Promise<void> {
  const { items, next } = await act('mail.search', { max: 2 });
  await act('mail.search', { query: 'in:inbox', max: 2, page: next });
  await act('mail.labels');
  const [first, second] = items;
  await act('mail.read', { message: first.id });
  await act('mail.read', { thread: second.thread, offset: 1 });
  await callAttachments(act);
  await callDrafts(act, revert, first.id);
  const [budget] = await itemsOf(act, 'drive.search', { query: 'Household budget' });
  const large = 'A line of a long report.\n'.repeat(4000);
  const letter = { to: ['Ana <ana.mueller@example.org>'], cc: ['c@example.com'], bcc: ['d@example.com'], body: 'Hello.' };
  await act('mail.send', { ...letter, subject: 'Report', attachments: [{ name: 'report.txt', text: large }], files: [budget.id] });
  await act('mail.send', { ...letter, reply_to: first.id });
  await revert('mail.label', { ids: [first.id], add: ['STARRED'], remove: ['INBOX'] });
  await revert('mail.trash', { ids: [first.id], threads: [second.thread] });
  await act('mail.trash', { ids: [first.id] });
  await act('mail.untrash', { ids: [first.id], inbox: [first.id] });
}

async function callAttachments(act: Act): Promise<void> {
  for (const { id: message } of await itemsOf(act, 'mail.search', { query: 'has:attachment' })) {
    const [read] = (await act('mail.read', { message })).messages;
    for (const { id: attachment } of read.attachments)
      await act('mail.attachment', { message, attachment, offset: 0 }).catch(unlessTooSlow);
    await act('mail.save_attachment', { message, attachment: read.attachments[0].id, folder: 'root', name: 'Saved.bin' });
  }
}

async function callDrafts(act: Act, revert: Act, message: string): Promise<void> {
  const [budget] = await itemsOf(act, 'drive.search', { query: 'Household budget' });
  const draft = await act('mail.draft', {
    to: ['bob@example.com'],
    cc: ['c@example.com'],
    bcc: ['d@example.com'],
    subject: 'Lunch',
    body: 'Noon?',
  });
  await act('mail.draft_update', { id: draft.id, body: 'One?' });
  await act('mail.draft_update', { id: draft.id, to: ['e@example.com'], cc: [], bcc: ['f@example.com'], subject: 'Late lunch' });
  await act('mail.draft_send', { id: draft.id });
  const reply = await act('mail.draft', {
    to: ['bob@example.com'],
    body: 'Yes.',
    reply_to: message,
    attachments: [{ name: 'a.txt', text: 'a' }],
    files: [budget.id],
  });
  await act('mail.drafts', { query: 'Yes' });
  await revert('mail.draft', { to: ['g@example.com'], subject: 'Dinner', body: 'No.' });
  await act('mail.draft', { to: ['g@example.com'], subject: 'Dinner', body: 'No.' });
  const { next } = await act('mail.drafts', { max: 1 });
  await act('mail.drafts', { max: 1, page: next });
  await act('mail.draft_delete', { id: reply.id });
}

async function callCalendar(act: Act, revert: Act): Promise<void> {
  const events = await itemsOf(act, 'calendar.list', {});
  const { next } = await act('calendar.list', { query: 'a', max: 1 });
  const days = { from: '2031-05-05', to: '2031-05-09', zone: 'Europe/Berlin' };
  await act('calendar.list', { query: 'a', max: 1, page: next });
  await act('calendar.free', { minutes: 60, day_start: '09:00', day_end: '17:00' });
  await act('calendar.free', { minutes: 30, weekdays: ['MO', 'FR'], ...days });
  await act('calendar.busy', { people: ['ana.mueller@example.org'], ...days });
  for (const { id } of events) await act('calendar.get', { id });
  const created = await act('calendar.create', {
    title: 'Planning',
    start: '2031-05-05T10:00',
    end: '2031-05-05T11:00',
    zone: 'Europe/Berlin',
    description: 'What next?',
    location: 'Room 1',
    attendees: ['bob@example.com'],
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    meeting: true,
  });
  const allDay = await act('calendar.create', { title: 'Holiday', start: '2031-05-01', notify: false });
  await act('calendar.update', { id: allDay.id, title: 'Day off', start: '2031-05-02', add_attendees: ['ana.mueller@example.org'] });
  const [second] = await itemsOf(act, 'calendar.list', { from: '2031-05-12', to: '2031-05-13', zone: 'America/New_York' });
  await revert('calendar.update', { id: second.id, start: '2031-05-12T12:00' });
  await callChanges(act, revert);
  await act('calendar.update', { id: created.id, scope: 'series', start: '2031-05-05T12:00', remove_attendees: ['bob@example.com'] });
  const [invitation] = await itemsOf(act, 'calendar.list', { query: 'Supplier review' });
  await act('calendar.respond', { id: invitation.id, answer: 'declined', comment: 'Away.', notify: true });
  await act('calendar.respond', { id: invitation.id, answer: 'tentative', scope: 'series' });
  await act('calendar.delete', { id: allDay.id, notify: true });
  await revert('calendar.restore', { id: allDay.id, notify: true });
  await revert('calendar.delete', { id: created.id, scope: 'series' });
}

/** Each of what can be changed of an event, and back. */
async function callChanges(act: Act, revert: Act): Promise<void> {
  const flight = { start: '2031-05-20T10:00', end: '2031-05-20T12:00', zone: 'Europe/Berlin', end_zone: 'Europe/London' };
  await revert('calendar.create', { title: 'Cancelled flight', ...flight });
  const { id } = await act('calendar.create', { title: 'Flight', ...flight });
  await revert('calendar.update', { id, end: '2031-05-20T13:00', end_zone: 'America/New_York' });
  await revert('calendar.update', { id, start: '2031-05-21T09:00', zone: 'Asia/Tokyo', end: '2031-05-21T11:00', end_zone: 'Asia/Tokyo' });
  await revert('calendar.update', { id, title: 'Train', description: 'By the sea.', location: 'Platform 1', notify: true });
  await revert('calendar.update', { id, add_attendees: ['bob@example.com'] });
  await act('calendar.update', { id, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
  await revert('calendar.update', { id, scope: 'series', recurrence: ['RRULE:FREQ=DAILY;UNTIL=20310530T235959Z'] });
}

async function callDocuments(act: Act, revert: Act): Promise<void> {
  for (const { id } of await itemsOf(act, 'drive.search', { type: 'document' })) {
    const { tabs = [] } = await act('documents.read', { id, offset: 0 });
    for (const { id: tab } of tabs) await act('documents.read', { id, tab });
  }
  const { id } = await act('documents.create', { title: 'Ideas', text: '# One\n\n- *two*\n- [three](https://example.com)' });
  await act('documents.append', { id, text: 'Four.' });
  await act('documents.append', { id, text: '- five\n\n## Six\n\n**seven** ~~eight~~', tab: 't.0' });
  await revert('documents.replace', { id, find: 'Four', replace: 'Five' });
  await act('documents.replace', { id, find: 'five', replace: '', tab: 't.0', match_case: true });
  for (const sheet of await itemsOf(act, 'drive.search', { type: 'spreadsheet' })) await callSpreadsheet(act, sheet.id);
  for (const slides of await itemsOf(act, 'drive.search', { type: 'presentation' })) {
    const { count } = await act('presentations.read', { id: slides.id });
    if (count > 0) await act('presentations.read', { id: slides.id, slides: [1], offset: 0 });
    if (count > 1) await act('presentations.read', { id: slides.id, from: 2 });
  }
}

async function callSpreadsheet(act: Act, id: string): Promise<void> {
  await act('spreadsheets.info', { id, from: 0 });
  await act('spreadsheets.read', { id, max: 5, offset: 0 });
  await act('spreadsheets.read', { id, range: 'A1:C5' });
  await act('spreadsheets.read', { id, ranges: ['A1:B2', 'C1:C2'] });
}

async function callDrive(act: Act, revert: Act): Promise<void> {
  const { items, next } = await act('drive.search', { max: 5 });
  await act('drive.search', { max: 5, page: next });
  for (const { id } of items) await act('drive.info', { id });
  for (const type of ['pdf', 'text', 'document', 'spreadsheet', 'presentation']) {
    for (const { id } of await itemsOf(act, 'drive.search', { type, max: 2 }))
      await act('drive.read', { id, offset: 0 }).catch(unlessTooSlow);
  }
  const folder = await act('drive.create', { name: 'Trips', type: 'folder' });
  await act('drive.search', { folder: folder.id });
  const file = await act('drive.create', { name: 'Plan.md', type: 'markdown', content: '# Plan', folder: folder.id });
  const empty = await act('drive.create', { name: 'Empty.txt' });
  await act('drive.copy', { id: file.id, name: 'Plan 2.md' });
  await revert('drive.copy', { id: file.id, folder: folder.id });
  await revert('drive.move', { id: file.id, folder: 'root' });
  await revert('drive.rename', { id: file.id, name: 'Plan 1.md' });
  await revert('drive.share', { id: file.id, email: 'bob@example.com', role: 'writer', notify: true });
  await act('drive.share', { id: file.id, email: 'bob@example.com', role: 'reader' });
  await act('drive.permissions', { id: file.id, page: '0' });
  await revert('drive.unshare', { id: file.id, who: 'bob@example.com' });
  await revert('drive.trash', { id: empty.id });
  await act('drive.trash', { id: empty.id });
  await revert('drive.untrash', { id: empty.id });
}
