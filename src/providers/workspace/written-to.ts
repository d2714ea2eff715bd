import { z } from 'zod';
import { parseAddressList } from '../../validation/address-list.ts';
import { addressKey } from '../../validation/email-address.ts';
import { list } from '../transport/response-list.ts';
import type { WorkspaceSession } from './workspace-session.ts';

const found = z.object({ messages: list(z.object({ id: z.string().regex(/^\w{1,64}$/) })).default([]) });
const headers = z.object({ payload: z.object({ headers: list(z.object({ name: z.string(), value: z.string().max(200_000) })) }) });
/** Others would have to be escaped in a search. */
const SEARCHABLE = /^[\p{L}\p{M}\p{N}_.+'-]{1,64}@[\w.-]{1,190}$/u;
/** A user can't judge more of them, and each costs two requests. */
const MAX_SEARCHED = 10;

/**
 * Whether a sent message of the account names each of the addresses as a recipient. Of many, only the first ten are looked
 * up; the others are absent.
 *
 * @param addresses in lower case
 * @throws AppError like the provider's session, also when the account's consent doesn't cover mail
 */
export async function writtenTo(session: WorkspaceSession, addresses: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const searched = addresses.slice(0, MAX_SEARCHED);
  const known = await Promise.all(searched.map((address) => SEARCHABLE.test(address) && isRecipient(session, address)));
  return new Map(searched.map((address, index) => [address, known[index] === true]));
}

/** The search may find similar addresses, so that the message's own fields decide. */
async function isRecipient(session: WorkspaceSession, address: string): Promise<boolean> {
  const search = { userId: 'me', q: `in:sent to:"${address}"`, maxResults: 1, fields: 'messages(id)' };
  const [message] = (await session.call('gmail.users.messages.list', search, found)).messages;
  if (message === undefined) return false;
  const params = { userId: 'me', id: message.id, format: 'metadata', metadataHeaders: ['To', 'Cc', 'Bcc'], fields: 'payload/headers' };
  const { payload } = await session.call('gmail.users.messages.get', params, headers);
  return payload.headers.some(({ value }) => recipientsIn(value).includes(address));
}

/** Of a field that isn't an address list, none: a program that sent it may have read it otherwise. */
function recipientsIn(field: string): string[] {
  const { entries, isComplete } = parseAddressList(field);
  return isComplete ? entries.map(({ address }) => addressKey(address)) : [];
}
