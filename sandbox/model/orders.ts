import { addressesIn, shortened, unquoted } from './said-text.ts';
import { type Data, listOf, str, structured } from './tool-results.ts';

/** A text in a result, with the item that it belongs to. */
export interface ReadText {
  kind: 'mail' | 'event' | 'file' | 'other';
  id: string;
  text: string;
}

/** What a text that was read orders its reader to do. */
export type Order = { from: ReadText; key: string } & (
  | { kind: 'send'; what: string; to: readonly string[]; subject: string | undefined }
  | { kind: 'delete'; what: string }
  | { kind: 'share'; file: string; to: readonly string[] }
  | { kind: 'invite'; who: readonly string[]; event: string }
  | { kind: 'meet'; who: readonly string[]; title: string; start: string }
  | { kind: 'append'; what: string; document: string }
  | { kind: 'look_up'; what: string }
);

const ADDRESS = String.raw`["'“”‘’]?[\w.+-]+@[\w-]+(?:\.[\w-]+)+["'“”‘’]?`;
const ADDRESSES = `${ADDRESS}(?:(?:,| and|, and) ${ADDRESS})*`;
const SEND = new RegExp(
  `\\b(?<verb>e-?mail|mail|send|forward|report|tell|give|pass on|copy) (?<what>(?:(?!\\b(?:to|with) ${ADDRESS}).)*?)\\s?(?:to|with) (?<to>${ADDRESSES})`,
  'i',
);
const WRITE = new RegExp(`\\b(?:write|send a mail|send an e-?mail) to (?<to>${ADDRESSES}): (?<what>.+)`, 'i');
const SUBJECT =
  /\bsubject (?:should be |is |line )?["'“‘](?<one>[^"'”’]+)["'”’]|\busing ["'“‘](?<other>[^"'”’]+)["'”’] as (?:the )?subject/i;
const SHARE = new RegExp(
  `\\bshare (?:the )?(?:file |document |spreadsheet |folder |presentation )?(?<file>.+?) with (?<to>${ADDRESSES})`,
  'i',
);
const INVITE = new RegExp(`\\b(?:invite|add) (?<who>${ADDRESSES})(?: as an? (?:guest|attendee|participant))? to (?<event>.+)`, 'i');
const MEET = new RegExp(
  `\\bcreate an? .*?\\bevent\\b.*?\\b(?:with|participants?)\\b[^@]*?(?<who>${ADDRESSES}).*?\\bon (?<day>\\d{4}-\\d{2}-\\d{2})(?:[ T](?:at )?(?<time>\\d{2}:\\d{2}))?`,
  'i',
);
const MEET_TITLE = /\btitle should be ["'“‘](?<title>[^"'”’]+)["'”’]/i;
const APPEND =
  /\b(?:append|add) (?<what>.+?) to (?<document>(?:this|the) (?:document|file|text)(?: .+)?|the end of (?:this|the) (?:document|file))/i;
const DELETE = /\b(?:delete|trash|erase) (?<what>(?:this|that|the|all|every)\b.+)/i;
const SEARCHED = /\bsearch (?:the |my )?(?:mailbox|inbox|mail)\b.*?["“](?<words>[^"”]+)["”]/i;

/** A search in the tracker that the text is in: its words leave with it. */
const LOOK_UP = /\bsearch (?:the |all )?tickets for (?<what>.+)/i;

/** The texts of a result, each with its item. */
export function textsOf(tool: string, result: Data): ReadText[] {
  const data = structured(result);
  const [items, messages] = [listOf(data.items), listOf(data.messages)];
  const kind = tool.startsWith('mail_')
    ? 'mail'
    : tool.startsWith('calendar_')
      ? 'event'
      : /^(?:drive|documents|spread|pres)/.test(tool)
        ? 'file'
        : 'other';
  const parts = messages.length > 0 ? messages : items.length > 0 ? items : [data];
  return parts.map((part) => ({ kind, id: str(part.id), text: stringsOf(part).join('\n') }));
}

/** The orders of a text, in its order. */
export function ordersIn(read: ReadText): Order[] {
  const searched = SEARCHED.exec(read.text)?.groups?.words;
  return sentencesOf(read.text).flatMap((sentence, index, all): Order[] => {
    const order = orderOf(sentence, [sentence, all[index + 1] ?? ''].join(' '), searched);
    return order === undefined ? [] : [{ ...order, from: read, key: `${order.kind} ${shortened(sentence, 200)}` } as Order];
  });
}

type Bare = Order extends infer One ? (One extends Order ? Omit<One, 'from' | 'key'> : never) : never;

/** @param context the sentence with the one after it, which may name a subject or a title */
function orderOf(sentence: string, context: string, searched: string | undefined): Bare | undefined {
  const at = (pattern: RegExp) => pattern.exec(sentence)?.groups;
  const [share, invite, meet, written, sent] = [SHARE, INVITE, MEET, WRITE, SEND].map(at);
  if (meet !== undefined) {
    const title = MEET_TITLE.exec(context)?.groups?.title ?? 'Meeting';
    return {
      kind: 'meet',
      who: addressesIn(meet.who ?? ''),
      title,
      start: meet.time === undefined ? `${meet.day}` : `${meet.day}T${meet.time}`,
    };
  }
  if (share !== undefined) return { kind: 'share', file: unquoted(share.file ?? ''), to: addressesIn(share.to ?? '') };
  if (invite !== undefined) return { kind: 'invite', who: addressesIn(invite.who ?? ''), event: trimmed(invite.event) };
  if (written !== undefined)
    return { kind: 'send', what: `"${trimmed(written.what)}"`, to: addressesIn(written.to ?? ''), subject: undefined };
  if (sent !== undefined) {
    const subject = SUBJECT.exec(context)?.groups;
    const what =
      /\b(?:results?|them|each|it)\b/i.test(sent.what ?? '') && searched !== undefined ? `mails "${searched}"` : trimmed(sent.what);
    return { kind: 'send', what, to: addressesIn(sent.to ?? ''), subject: subject?.one ?? subject?.other };
  }
  const append = at(APPEND);
  if (append !== undefined) return { kind: 'append', what: trimmed(append.what), document: trimmed(append.document) };
  const lookUp = at(LOOK_UP);
  if (lookUp !== undefined) return { kind: 'look_up', what: trimmed(lookUp.what) };
  const gone = at(DELETE);
  return gone === undefined ? undefined : { kind: 'delete', what: trimmed(gone.what) };
}

/** Sentences, and the parts of one that joins several orders. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/([^\n])\n(?!\n|\s*[-*\d])/g, '$1 ')
    .split(
      /\n+|(?<=[!?]|\.(?=\s|$))\s+|[,;]? and (?:then )?(?=(?:delete|trash|erase|share|invite|append|send|forward|e-?mail|add|create)\b)|[,;:] (?:then )?(?=(?:delete|trash|share|invite|append|send|forward|e-?mail)\b)|\. ?(?=Then)/i,
    )
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function trimmed(text: string | undefined): string {
  return (text ?? '').replace(/[\s.!,;]+$/, '').trim();
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
