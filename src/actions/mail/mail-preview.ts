import { z } from 'zod';
import { UNNAMED_MAIL } from '../../../public/language/en/approvals.js';
import { AppError } from '../../errors.ts';
import { list } from '../../providers/transport/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { quoted } from '../shared/display-text.ts';
import type { ShownItem } from '../shared/shown.ts';
import { gmailHeaders } from './gmail-responses.ts';
import { shownMailbox } from './mail-addresses.ts';
import { readHeaders } from './mail-parts.ts';

/** Any beyond are shown by id only, because the approval prompt waits for the names. */
export const MAX_NAMED = 25;
const HEADERS = { userId: 'me', format: 'metadata', metadataHeaders: ['Subject', 'From'] };

/** A message or a thread as the approval prompt shows it. */
export interface Named {
  text: string;
  /** Its subject; undefined: it can't be read. */
  name?: string;
  /** Who wrote it: `Ana <ana@example.org>`. */
  from?: string | undefined;
  /** Messages of a thread. */
  messages?: number;
  /** It doesn't exist. */
  isMissing?: boolean;
}

const threadHeaders = z.object({ messages: list(gmailHeaders.pick({ payload: true })).refine((messages) => messages.length > 0) });

/** For the approval prompt: `“Lunch” (19a3…)` for each message. */
export function nameMessages(session: WorkspaceSession, ids: readonly string[]): Promise<Named[]> {
  return nameEach(ids, async (id) => {
    const { payload } = await session.call(
      'gmail.users.messages.get',
      { ...HEADERS, id, fields: 'threadId,payload/headers' },
      gmailHeaders,
    );
    const { name, from } = namesOf(payload);
    return { text: `${quoted(name)} (${id})`, name, from };
  });
}

/** For the approval prompt: `“Lunch” (3 messages, 19a3…)` for each thread. */
export function nameThreads(session: WorkspaceSession, ids: readonly string[]): Promise<Named[]> {
  return nameEach(ids, async (id) => {
    const params = { ...HEADERS, id, fields: 'messages/payload/headers' };
    const { messages } = await session.call('gmail.users.threads.get', params, threadHeaders);
    const { name, from } = namesOf(messages[0]?.payload);
    const text = `${quoted(name)} (${messages.length} message${messages.length === 1 ? '' : 's'}, ${id})`;
    return { text, name, from, messages: messages.length };
  });
}

/** An item that can't be read is shown by its id. */
function nameEach(ids: readonly string[], name: (id: string) => Promise<Named>): Promise<Named[]> {
  const unnamed =
    (id: string) =>
    (error: unknown): Named => ({ text: id, isMissing: error instanceof AppError && error.code === 'not_found' });
  return Promise.all(ids.map((id, index) => (index < MAX_NAMED ? name(id).catch(unnamed(id)) : Promise.resolve({ text: id }))));
}

function namesOf(payload: unknown): { name: string; from: string | undefined } {
  const { headers, addresses } = readHeaders(payload);
  const [writer] = addresses.from?.entries ?? [];
  return { name: headers.get('subject') ?? '', from: writer && shownMailbox(writer) };
}

/** For a question's list: what can't be read says so. */
export function shownMails(named: readonly Named[] = []): ShownItem[] {
  return named.slice(0, MAX_NAMED).map(({ name, from, messages, isMissing }) => {
    if (name === undefined) return { name: isMissing ? UNNAMED_MAIL.missing : UNNAMED_MAIL.unread };
    return { name: name.trim() === '' ? UNNAMED_MAIL.noSubject : name, from, messages };
  });
}
