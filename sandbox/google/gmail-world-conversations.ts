import type { SeedAttachment } from './gmail-seed-mime.ts';

/** A message of a thread; who isn't named is the account's owner, and everyone else in the thread is addressed. */
export interface SeedMail {
  from?: string;
  cc?: string;
  text?: string;
  html?: string;
  charset?: 'iso-8859-1';
  attachments?: readonly SeedAttachment[];
  /** Hours after the message before; default 5. */
  after?: number;
  headers?: Record<string, string>;
}

export interface SeedThread {
  subject: string;
  /** Age of the first message. */
  days: number;
  /** Besides INBOX (or what `folder` says) and SENT. */
  labels?: readonly string[];
  folder?: 'INBOX' | 'SPAM' | 'TRASH' | 'archive';
  /** Its last message hasn't been read. */
  unread?: true;
  mails: readonly SeedMail[];
}

const ANA = 'Ana Müller <ana.mueller@example.org>';
const JONAS = 'Jonas Weber <jonas.weber@example.org>';
const MEI = '李 梅 <mei.li@example.net>';
const SARAH = 'Sarah O’Connor <sarah.oconnor@example.net>';
const TOMAS = 'Tomáš Dvořák <tomas.dvorak@example.org>';
const LANDLORD = 'Brigitte Lefèvre <b.lefevre@example.com>';

const BUDGET_CSV = 'item,planned,spent\nVenue,4200,4200\nCatering,2600,1875.5\nTravel,3100,2940\n';
const PDF = Buffer.concat([
  Buffer.from('%PDF-1.4\n%'),
  Buffer.from([0xe2, 0xe3, 0xcf, 0xd3]),
  Buffer.from(
    '\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n',
  ),
]);
const MINUTES = Array.from(
  { length: 220 },
  (_, index) =>
    `${index + 1}. ${['Ana', 'Jonas', 'Mei', 'Tomáš'][index % 4]} went through item ${index + 1} of the backlog; the estimate is ${(index % 7) + 1} days and the owner keeps it until the next review.`,
).join('\n');

/** Threads in which the account's owner takes part. */
export const CONVERSATIONS: readonly SeedThread[] = [
  {
    subject: 'Aurora launch: who does what',
    days: 6,
    labels: ['Projects/Aurora', 'IMPORTANT'],
    unread: true,
    mails: [
      {
        from: ANA,
        cc: JONAS,
        text: 'Hi both,\n\nthe launch is on the 14th. I take the venue, Jonas the slides. Can you look after the guest list?\n\nAna',
      },
      { text: 'Happy to. I have 62 names so far and will share the sheet tomorrow.' },
      {
        from: JONAS,
        cc: ANA,
        text: 'Slides: first draft is done, numbers still missing. > 62 names\nThat is more than the room takes (55).',
      },
      { from: ANA, text: 'Then let us ask for the larger room. I will call them.', after: 20 },
      { text: 'Thanks. If they say no, I cut the list to 55 by seniority.', after: 2 },
      { from: ANA, cc: JONAS, text: 'They said yes: room B, 80 seats, the same price. 🎉\n\nAna', after: 26 },
    ],
  },
  {
    subject: 'Übergabe der Wohnung – Terminvorschlag',
    days: 3,
    labels: ['Home'],
    unread: true,
    mails: [
      {
        from: LANDLORD,
        text: 'Guten Tag,\n\npasst Ihnen Donnerstag um 17:30 Uhr für die Übergabe? Bitte bringen Sie alle Schlüssel mit.\n\nMit freundlichen Grüßen\nBrigitte Lefèvre',
        charset: 'iso-8859-1',
      },
      { text: 'Guten Tag Frau Lefèvre,\n\nDonnerstag passt gut. Bis dann!', after: 3 },
      {
        from: LANDLORD,
        text: 'Sehr schön. Das Protokoll hängt an.',
        after: 18,
        attachments: [{ name: 'Übergabeprotokoll März.pdf', mime: 'application/pdf', content: PDF }],
      },
    ],
  },
  {
    subject: '周五的会议纪要',
    days: 2,
    mails: [
      {
        from: MEI,
        text: '大家好,\n\n会议纪要见附件。请在周三之前回复。\n\n李梅',
        attachments: [{ name: '会议纪要.txt', mime: 'text/plain; charset=UTF-8', content: '一、项目进度\n二、预算\n三、下一步\n' }],
      },
      { text: '谢谢!我明天看。', after: 4 },
    ],
  },
  {
    subject: 'Budget for the offsite',
    days: 9,
    labels: ['STARRED'],
    mails: [
      {
        from: SARAH,
        text: 'The numbers so far are attached as CSV. Catering is the only open item.',
        attachments: [{ name: 'budget.csv', mime: 'text/csv', content: BUDGET_CSV }],
      },
      { text: 'Looks right. Is travel final?', after: 7 },
      { from: SARAH, text: 'Yes, 2,940 after the train discount.', after: 1 },
      { text: 'Perfect, approved.', after: 1 },
    ],
  },
  {
    subject: 'Minutes of the backlog review',
    days: 12,
    labels: ['Projects/Aurora'],
    mails: [{ from: TOMAS, cc: ANA, text: `Hello all,\n\nthe whole list, as promised:\n\n${MINUTES}\n\nTomáš` }],
  },
  {
    subject: 'Contract renewal',
    days: 15,
    mails: [
      {
        from: JONAS,
        text: 'The contract ends on the 30th. Shall we renew for a year or two?',
        html: '<p>The contract ends on the <b>30th</b>. Shall we renew for a year or two?</p>',
        attachments: [{ name: 'contract-2026.pdf', mime: 'application/pdf', content: PDF }],
      },
      { text: 'One year, please. Prices are moving.', after: 30 },
      {
        from: JONAS,
        html: '<p>Done: <a href="https://example.org/contracts/4711">contract 4711</a> is renewed for one year.</p><p>Jonas</p>',
        after: 20,
      },
    ],
  },
  {
    subject: 'Lunch on Tuesday?',
    days: 1,
    unread: true,
    mails: [{ from: SARAH, text: 'The new place by the canal, 12:30? They have a terrace.' }],
  },
  {
    subject: 'Fotos vom Wochenende',
    days: 4,
    labels: ['Família'],
    mails: [
      {
        from: ANA,
        text: 'Schau mal, der See war herrlich.',
        attachments: [{ name: 'See.jpg', mime: 'image/jpeg', content: Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex') }],
      },
      { text: 'Wunderschön! Nächstes Mal komme ich mit.', after: 9 },
    ],
  },
  {
    subject: 'Interview feedback: backend candidate',
    days: 8,
    mails: [
      { from: TOMAS, text: 'Strong on databases, a little quiet on testing. I would hire.' },
      { from: JONAS, text: 'Agreed. Second round next week?', after: 3 },
      { text: 'Yes. I will ask for Thursday.', after: 15 },
    ],
  },
  {
    subject: 'Shared drive clean-up',
    days: 18,
    folder: 'archive',
    mails: [
      { from: MEI, text: 'I moved everything older than two years into “Archive”. Shout if you miss something.' },
      { text: 'Thanks, nothing missing here.', after: 2 },
    ],
  },
  {
    subject: 'Question about the invoice from May',
    days: 21,
    mails: [
      { text: 'Hello, the invoice from May lists 12 licences, we have 10. Could you check?' },
      {
        from: 'Billing <billing@example.net>',
        text: 'You are right, a corrected invoice is attached.',
        after: 24,
        attachments: [{ name: 'invoice-05-corrected.pdf', mime: 'application/pdf', content: PDF }],
      },
      { text: 'Received, thank you.', after: 1 },
    ],
  },
  {
    subject: 'Draft agenda for Monday',
    days: 5,
    mails: [{ text: 'Three items: launch, hiring, budget. Anything else?', cc: SARAH }],
  },
];
