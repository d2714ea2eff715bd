import { toUnits } from '../../actions/bank/exact-amounts.ts';
import { addressKey } from '../../validation/email-address.ts';
import type { EventTrigger } from '../definition/trigger.ts';
import type { AccountEvent, BankTransaction } from './event-types.ts';

/** Characters of a text of others that are looked at. */
const MAX_TEXT = 10_000;
const MINUTE_MS = 60_000;

/**
 * Whether what happened is what an automation waits for. It was in the trigger's account.
 *
 * @param now milliseconds: an event of a calendar starts within some minutes from then on
 */
export function matchEvent(trigger: EventTrigger, event: AccountEvent, now: number): boolean {
  switch (trigger.event) {
    case 'mail.received': {
      if (event.event !== trigger.event) return false;
      const { from, to, subject, has_attachment: wanted } = trigger.filter;
      const isFrom = from === undefined || (event.from.length > 0 && event.from.every((address) => isOf(address, from)));
      const isTo = to === undefined || event.to.some((address) => isOf(address, to));
      return isFrom && isTo && hasWords([event.subject], subject) && (wanted === undefined || event.hasAttachment === wanted);
    }
    case 'calendar.changed':
      return event.event === trigger.event && hasWords([event.title ?? ''], trigger.filter.title);
    case 'calendar.starting': {
      if (event.event !== trigger.event || !hasWords([event.title ?? ''], trigger.filter.title)) return false;
      return event.start > now && event.start - now <= trigger.minutes_before * MINUTE_MS;
    }
    case 'drive.changed': {
      if (event.event !== trigger.event) return false;
      const { name, folder } = trigger.filter;
      return hasWords([event.name], name) && (folder === undefined || event.folders.includes(folder));
    }
    case 'bank.transaction': {
      if (event.event !== trigger.event) return false;
      const { merchant, category } = trigger.filter;
      return isOfAmount(trigger.filter, event) && hasWords(event.merchant, merchant) && hasWords(event.category, category);
    }
    case 'account.status':
      return event.event === trigger.event;
  }
}

/** @param address a whole one @param wanted an address, or `@domain` */
function isOf(address: string, wanted: string): boolean {
  const key = addressKey(wanted);
  return key.startsWith('@') ? addressKey(address).endsWith(key) : addressKey(address) === key;
}

/** Whether one of the texts has all of the words, in any case and order; NFKC, so that full width and ligatures are no others. */
function hasWords(texts: readonly string[], wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const words = folded(wanted)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return texts.some((text) => {
    const all = folded(text);
    return words.every((word) => all.includes(word));
  });
}

/** In upper case: `ß` is SS there, and both forms of the Greek sigma are one. */
function folded(text: string): string {
  return text.slice(0, MAX_TEXT).normalize('NFKC').toUpperCase().normalize('NFKC');
}

type AmountFilter = Extract<EventTrigger, { event: 'bank.transaction' }>['filter'];

/** Plaid: a positive amount is money out of the account. */
function isOfAmount({ amount_over: over, direction }: AmountFilter, { amount }: BankTransaction): boolean {
  if (amount === null) return over === undefined && direction === 'any';
  const units = toUnits(amount);
  if (direction === 'out' && units <= 0n) return false;
  if (direction === 'in' && units >= 0n) return false;
  return over === undefined || (units < 0n ? -units : units) > toUnits(over);
}
