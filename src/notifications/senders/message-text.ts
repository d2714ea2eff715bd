import { actionName } from '../../../public/language/en/actions.js';
import { notices as words } from '../../../public/language/en/notifications.js';
import type { Formatter } from '../../../public/language/formatter.js';
import { withoutHidden } from '../../http/pages/visible-text.ts';
import { shortened } from '../../validation/cut-text.ts';
import { withoutQuotationMarks } from '../../validation/quotation.ts';
import type { Delivery } from '../notices/deliveries-repository.ts';

/** What of a delivery is told. */
export type Told = Pick<Delivery, 'type' | 'data' | 'threadId' | 'path' | 'until'> & {
  /** As its user calls the automation; undefined: there is none, or it was deleted. */
  name: string | undefined;
};

/** A message as people read it. */
export interface Message {
  /** One line. */
  subject: string;
  items: readonly { text: string; url: string }[];
  /** Of further ones that it only counts. */
  more: number;
}

export interface TextOptions {
  /** Whether it says what an approval is about. */
  summaries: boolean;
  formatter: Formatter;
  publicUrl: string;
}

const MAX_NAME = 80;
/** A push message has some 3,900 bytes. */
const MAX_ITEMS = 10;

/**
 * Says what has happened in the service's own words: the one other text is the name that the user gave an automation.
 *
 * @param told at least one, oldest first
 */
export function messageOf(told: readonly Told[], options: TextOptions): Message {
  const [first] = told;
  const headline = first === undefined ? '' : headlineOf(first);
  return {
    subject: told.length > 1 ? words.several(headline, told.length - 1) : headline,
    items: told.slice(0, MAX_ITEMS).map((one) => ({ text: textOf(one, options), url: options.publicUrl + one.path })),
    more: Math.max(0, told.length - MAX_ITEMS),
  };
}

function textOf(told: Told, { summaries, formatter }: TextOptions): string {
  const { action } = told.data;
  const about = summaries && told.type === 'approval.requested' && action !== undefined ? ` ${words.about(actionName(action))}` : '';
  const until = told.until === null ? '' : ` ${words.until(formatter.dateTime(told.until.toISOString()))}`;
  return `${headlineOf(told)}.${about}${until}`;
}

function headlineOf({ type, data, threadId, name }: Told): string {
  const who = name === undefined ? words.anAutomation : words.quoted(nameText(name));
  switch (type) {
    case 'approval.requested':
      return words.asks(threadId === null ? words.aClient : who);
    case 'run.finished':
      if (data.state === 'failed') return words.failed(who);
      return threadId === null ? words.happened(who) : words.finished(who);
    case 'automation.paused':
      return words.paused(who) + (data.state === 'failures' ? words.pausedByFailures : '');
    case 'account.status':
      return data.state === 'item_gone' ? words.accountGone : words.reconnect;
    case 'channel.off':
      return words.channelOff(data.state ?? '');
  }
}

/** One line, which closes no quotation and changes no direction. */
function nameText(name: string): string {
  return shortened(withoutQuotationMarks(withoutHidden(name)).replace(/\s+/g, ' ').trim(), MAX_NAME);
}
