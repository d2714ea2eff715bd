import PostalMime, { type Attachment } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CorpusMail, MAIL_CORPUS } from '../../../support/inputs/mail-corpus.ts';
import { type MailUser, mailApi, newMailUser, startMail } from '../../../support/scenes/mail.ts';
import type { TestSteward } from '../../../support/steward.ts';

let steward: TestSteward;
let user: MailUser;
let api: Awaited<ReturnType<typeof mailApi>>;

beforeAll(async () => {
  steward = await startMail();
  user = await newMailUser(steward);
  api = await mailApi(steward, user);
  await steward.control('workspace/quota', { api: 'gmail', units_per_minute: 100_000 });
});

afterAll(() => steward.stop());

const inWords = (text: string | undefined) => (text ?? '').split(/\s+/).filter((word) => word !== '');

/** With the line breaks of the transport. */
const wire = ({ raw }: CorpusMail) => Buffer.from(raw.replaceAll('\n', '\r\n'), 'latin1');

async function inserted(mail: CorpusMail): Promise<string> {
  const { body } = await api('messages', { raw: wire(mail).toString('base64url'), labelIds: ['INBOX'] });
  return body.id;
}

const listed = (attachments: { id: string; name: string }[]) => Object.fromEntries(attachments.map(({ id, name }) => [id, name]));

interface Listed {
  id: string;
  name: string;
  mime: string;
  size: number;
}

/** Of the message itself: those of an attached one are part of it to postal-mime. */
const own = (files: Listed[]) => files.filter((file) => !files.some((one) => one !== file && isIn(file, one)));
const isIn = ({ id }: Listed, other: Listed) => other.id === 'root' || id.startsWith(`${other.id}.`);

/** Whether postal-mime has read the same file. It ends the lines of texts its own way, also behind the last one. */
function isSameFile({ name, mime, size }: Listed, { filename, mimeType, content }: Attachment): boolean {
  const bytes = Buffer.from(content as ArrayBuffer);
  const asSent = bytes.toString('latin1').replaceAll('\n', '\r\n');
  const sizes = [bytes.length, asSent.length, asSent.replace(/\r\n$/, '').length];
  return (filename === null || filename === name) && mimeType === mime && sizes.includes(size);
}

async function assertSameFiles(mail: CorpusMail, listed: Listed[]): Promise<void> {
  const { attachments } = await PostalMime.parse(wire(mail), { forceRfc822Attachments: true });
  const files = own(listed);
  const isSame = files.length === attachments.length && files.every((one, index) => isSameFile(one, attachments[index] as Attachment));
  const others = attachments.map(({ filename, mimeType }) => [filename, mimeType]);
  expect({ isSame, others }).toMatchObject({ isSame: mail.otherFiles === undefined });
}

describe.each(Object.entries(MAIL_CORPUS))('a message is read as a person reads it: %s', (_group, mails) => {
  it.each(Object.entries(mails))('%s', async (_what, mail) => {
    const id = await inserted(mail);
    const [read] = (await user.run('mail.read', { message: id })).messages;
    expect(read.text).toBe(mail.text);
    expect(listed(read.attachments)).toEqual(mail.attachments ?? {});
    expect(read).toMatchObject({
      ...(mail.subject !== undefined && { subject: mail.subject }),
      ...(mail.from !== undefined && { from: mail.from }),
    });
    for (const [attachment, text] of Object.entries(mail.opened ?? {})) {
      expect(await user.run('mail.attachment', { message: id, attachment })).toMatchObject({ text });
    }
    await assertSameFiles(mail, read.attachments);
    const other = await PostalMime.parse(wire(mail));
    const isSame = inWords(other.text).join(' ') === inWords(mail.text).join(' ');
    expect({ isSame, text: other.text }).toMatchObject({ isSame: mail.differs === undefined });
  });
});
