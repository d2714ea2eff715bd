import type { Person } from '../support/emulators/workspace-content.ts';

/** Runs every action of the workspace, in the variants whose requests differ. */
export async function callWorkspaceActions(act: Act): Promise<void> {
  await callMail(act);
  await callCalendar(act);
  await callDocuments(act);
  await callDrive(act);
}

type Act = Person['act'];

/** Here it matters what was asked: a busy machine may not convert a file within the time for it, which is reported as its size. */
function unlessTooSlow(error: { code?: string }): void {
  if (error.code !== 'too_large') throw error;
}

async function itemsOf(act: Act, action: string, input: object): Promise<any[]> {
  return (await act(action, input)).items;
}

async function callMail(act: Act): Promise<void> {
  const { items, next } = await act('mail.search', { max: 2 });
  await act('mail.search', { query: 'in:inbox', max: 2, page: next });
  await act('mail.labels');
  const [first, second] = items;
  await act('mail.read', { message: first.id });
  await act('mail.read', { thread: second.thread });
  await callAttachments(act);
  await callDrafts(act, first.id);
  const [budget] = await itemsOf(act, 'drive.search', { query: 'Household budget' });
  const large = 'A line of a long report.\n'.repeat(4000);
  const letter = { to: ['Ana <ana.mueller@example.org>'], body: 'Hello.' };
  await act('mail.send', { ...letter, subject: 'Report', attachments: [{ name: 'report.txt', text: large }], files: [budget.id] });
  await act('mail.send', { ...letter, reply_to: first.id });
  await act('mail.label', { ids: [first.id], add: ['STARRED'], remove: ['INBOX'] });
  await act('mail.trash', { ids: [first.id], threads: [second.thread] });
  await act('mail.untrash', { ids: [first.id], inbox: [first.id] });
}

async function callAttachments(act: Act): Promise<void> {
  for (const { id: message } of await itemsOf(act, 'mail.search', { query: 'has:attachment' })) {
    const [read] = (await act('mail.read', { message })).messages;
    for (const { id: attachment } of read.attachments) await act('mail.attachment', { message, attachment }).catch(unlessTooSlow);
    await act('mail.save_attachment', { message, attachment: read.attachments[0].id, folder: 'root' });
  }
}

async function callDrafts(act: Act, message: string): Promise<void> {
  const draft = await act('mail.draft', {
    to: ['bob@example.com'],
    cc: ['c@example.com'],
    bcc: ['d@example.com'],
    subject: 'Lunch',
    body: 'Noon?',
  });
  await act('mail.draft_update', { id: draft.id, body: 'One?' });
  await act('mail.draft_send', { id: draft.id });
  const reply = await act('mail.draft', {
    to: ['bob@example.com'],
    body: 'Yes.',
    reply_to: message,
    attachments: [{ name: 'a.txt', text: 'a' }],
  });
  await act('mail.drafts', { query: 'Yes' });
  await act('mail.draft_delete', { id: reply.id });
}

async function callCalendar(act: Act): Promise<void> {
  const events = await itemsOf(act, 'calendar.list', {});
  await act('calendar.list', { query: 'a', max: 1 });
  await act('calendar.free', { minutes: 60, day_start: '09:00', day_end: '17:00' });
  await act('calendar.busy', { people: ['ana.mueller@example.org'] });
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
  const [second] = await itemsOf(act, 'calendar.list', { from: '2031-05-12', to: '2031-05-13' });
  await act('calendar.update', { id: second.id, start: '2031-05-12T12:00' });
  await act('calendar.update', { id: created.id, scope: 'series', start: '2031-05-05T12:00', remove_attendees: ['bob@example.com'] });
  const [invitation] = await itemsOf(act, 'calendar.list', { query: 'Supplier review' });
  await act('calendar.respond', { id: invitation.id, answer: 'declined', comment: 'Away.', notify: true });
  await act('calendar.respond', { id: invitation.id, answer: 'tentative', scope: 'series' });
  await act('calendar.delete', { id: allDay.id });
  await act('calendar.restore', { id: allDay.id });
  await act('calendar.delete', { id: created.id, scope: 'series' });
}

async function callDocuments(act: Act): Promise<void> {
  for (const { id } of await itemsOf(act, 'drive.search', { type: 'document' })) await act('documents.read', { id });
  const { id } = await act('documents.create', { title: 'Ideas', text: '# One\n\n- *two*\n- [three](https://example.com)' });
  await act('documents.append', { id, text: 'Four.' });
  await act('documents.replace', { id, find: 'Four', replace: 'Five' });
  for (const sheet of await itemsOf(act, 'drive.search', { type: 'spreadsheet' })) await callSpreadsheet(act, sheet.id);
  for (const slides of await itemsOf(act, 'drive.search', { type: 'presentation' })) {
    const { count } = await act('presentations.read', { id: slides.id });
    if (count > 0) await act('presentations.read', { id: slides.id, slides: [1] });
  }
}

async function callSpreadsheet(act: Act, id: string): Promise<void> {
  await act('spreadsheets.info', { id });
  await act('spreadsheets.read', { id });
  await act('spreadsheets.read', { id, range: 'A1:C5' });
  await act('spreadsheets.read', { id, ranges: ['A1:B2', 'C1:C2'] });
}

async function callDrive(act: Act): Promise<void> {
  const { items, next } = await act('drive.search', { max: 5 });
  await act('drive.search', { max: 5, page: next });
  for (const { id } of items) await act('drive.info', { id });
  for (const type of ['pdf', 'text', 'document', 'spreadsheet', 'presentation']) {
    for (const { id } of await itemsOf(act, 'drive.search', { type, max: 2 })) await act('drive.read', { id }).catch(unlessTooSlow);
  }
  const folder = await act('drive.create', { name: 'Trips', type: 'folder' });
  await act('drive.search', { folder: folder.id });
  const file = await act('drive.create', { name: 'Plan.md', type: 'markdown', content: '# Plan', folder: folder.id });
  const empty = await act('drive.create', { name: 'Empty.txt' });
  await act('drive.copy', { id: file.id, name: 'Plan 2.md' });
  await act('drive.move', { id: file.id, folder: 'root' });
  await act('drive.rename', { id: file.id, name: 'Plan 1.md' });
  await act('drive.share', { id: file.id, email: 'bob@example.com', role: 'writer' });
  await act('drive.permissions', { id: file.id });
  await act('drive.unshare', { id: file.id, who: 'bob@example.com' });
  await act('drive.trash', { id: empty.id });
  await act('drive.untrash', { id: empty.id });
}
