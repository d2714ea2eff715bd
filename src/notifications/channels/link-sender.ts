import { randomUUID } from 'node:crypto';
import { addressConfirmation as words } from '../../../public/language/en/notifications.js';
import { hashSecret, randomSecret } from '../../crypto/secrets.ts';
import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { SubjectHasher } from '../../vault/keys/subject-hasher.ts';
import type { MailSender } from '../senders/mail-sender.ts';
import type { Outcome } from '../senders/sender.ts';
import { countLinks, insertLink, keepLink } from './confirmations-repository.ts';

const DAY_MS = 24 * 3_600_000;
const LINKS_TO_ADDRESS = 3;
const LINKS_OF_USER = 10;
export const CONFIRM_PATH = '/notifications/confirm';

/**
 * Makes the link that confirms an address, in place of an earlier one. Only its hash is stored.
 *
 * @returns the secret of the link
 * @throws AppError `rate_limited`
 */
export async function makeLink(
  tx: Queryable,
  names: SubjectHasher,
  { userId, channelId, address, now }: { userId: string; channelId: string; address: string; now: number },
): Promise<string> {
  const addressHash = await names.address(address);
  const { toAddress, ofUser } = await countLinks(tx, userId, addressHash, new Date(now - DAY_MS));
  if (toAddress >= LINKS_TO_ADDRESS || ofUser >= LINKS_OF_USER) {
    throw new AppError('rate_limited', 'Enough links were sent for today. Use the last one, or try again tomorrow.', {
      retryAfter: DAY_MS / 1000,
    });
  }
  const secret = randomSecret();
  await insertLink(tx, userId, randomUUID(), addressHash, new Date(now));
  await keepLink(tx, userId, channelId, hashSecret(secret), new Date(now + DAY_MS));
  return secret;
}

/** Sends the link. Nothing in the mail is by its user: it may go to anybody. */
export async function sendLink(mail: Pick<MailSender, 'write'>, publicUrl: string, to: string, secret: string): Promise<Outcome> {
  const { host } = new URL(publicUrl);
  const text = [words.asked(host), words.open, `${publicUrl}${CONFIRM_PATH}/${secret}`, words.until, words.ignore];
  return mail.write({ id: randomUUID(), to, subject: words.subject(host), text: `${text.join('\n\n')}\n` });
}
