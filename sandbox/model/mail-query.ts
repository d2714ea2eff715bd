import { unquoted } from './said-text.ts';

const AFTER = String.raw`(?= (?:from|by|to|about|on|with|in|of|labell?ed|called|that)\b|$)`;
const FROM = new RegExp(`\\b(?:from|by) (?:the )?(?<value>"[^"]+"|“[^”]+”|.+?)${AFTER}`, 'i');
const TO = new RegExp(`\\b(?:sent to|to) (?<value>.+?)${AFTER}`, 'i');
const ABOUT = /\b(?:about|called|with the subject|subject) (?:the )?(?<value>"[^"]+"|“[^”]+”|.+?)(?= (?:from|by|with|in|labell?ed)\b|$)/i;
const LABEL = /\b(?:labell?ed|with the label|in the label) (?<value>"[^"]+"|“[^”]+”|\S+)/i;
const FOLDER = /\bin (?:the |my )?(?<value>trash|spam|inbox)\b/i;
const SENT = /\b(?:sent (?:mails?|messages?)|(?:mails?|messages?) (?:that )?i (?:have )?sent)\b/i;

/** A phrase such as "the newest unread mail from Ana about the launch" as a query of the mail service. */
export function mailQuery(phrase: string): string {
  const value = (pattern: RegExp) => pattern.exec(phrase)?.groups?.value;
  const [from, to, about, label, folder] = [FROM, TO, ABOUT, LABEL, FOLDER].map(value);
  const terms = [
    from !== undefined && `from:${term(from)}`,
    to !== undefined && `to:${term(to)}`,
    about !== undefined && (/^["“]/.test(about) ? term(about) : about),
    label !== undefined && `label:${unquoted(label).replaceAll(/[\s/]/g, '-')}`,
    folder !== undefined && `in:${folder.toLowerCase()}`,
    SENT.test(phrase) && 'in:sent',
    /\bunread\b/i.test(phrase) && 'is:unread',
    /\bstarred\b/i.test(phrase) && 'is:starred',
    /\battach(?:ments?|ed)\b/i.test(phrase) && 'has:attachment',
  ].filter((one) => typeof one === 'string');
  return terms.length === 0 || (terms.length === 1 && terms[0] === 'is:unread') ? ['in:inbox', ...terms].join(' ') : terms.join(' ');
}

function term(text: string): string {
  const bare = unquoted(text);
  return /\s/.test(bare) ? `"${bare}"` : bare;
}
