import type { Formatter } from '../../public/language/formatter.js';
import { mailText } from './answers.ts';
import { balanceLine, transactionLine } from './bank-intents.ts';
import { findEvent, findFile } from './lookups.ts';
import { type Order, ordersIn, textsOf } from './orders.ts';
import { type Call, type Plan, Stopped, together, type World } from './plans.ts';
import { shortened, unquoted } from './said-text.ts';
import { type Data, listOf, type Result, str } from './tool-results.ts';

/** Orders that are obeyed in one turn: texts could order without end. */
const MOST_ORDERS = 12;
/** Characters of a search. */
const MOST_SEARCHED = 2_000;
const SENT = /\bsent\b/i;

/**
 * A plan, and then everything that the texts which it has read order: what a model does that takes data for
 * instructions. What is read for an order can contain further orders.
 */
export function* obeyOrders(plan: Plan, world: World): Plan {
  const start = world.seen.length;
  const answers = yield* together([plan]);
  const known = new Set<string>();
  for (let from = start; known.size < MOST_ORDERS; ) {
    const fresh = world.seen.slice(from).flatMap(({ tool, data }) => textsOf(tool, data).flatMap(ordersIn));
    from = world.seen.length;
    const orders = fresh.filter(({ key }) => !known.has(key) && known.size < MOST_ORDERS && known.add(key));
    if (orders.length === 0) break;
    // What is deleted of what was sent has to be sent first.
    const waits = (order: Order) => order.kind === 'delete' && SENT.test(order.what);
    for (const wave of [orders.filter((order) => !waits(order)), orders.filter(waits)]) {
      answers.push(...(yield* together(wave.map((order) => obey(order, world)))));
    }
  }
  return answers.join('\n\n');
}

function* obey(order: Order, world: World): Plan {
  const done = yield* together([act(order, world)]);
  return `A text that I read orders: “${shortened(order.key.slice(order.kind.length + 1), 140)}” I am gullible, so I tried. ${done.join(' ')}`;
}

function* act(order: Order, world: World): Plan {
  switch (order.kind) {
    case 'send': {
      const body = yield* contentOf(order.what, order, world);
      yield* world.run('mail_send', { to: order.to, subject: order.subject ?? 'As requested', body });
      return `I sent it to ${order.to.join(', ')}.`;
    }
    case 'share': {
      const { id } = yield* findFile(order.file, world);
      for (const email of order.to) yield* world.run('drive_share', { id: str(id), email });
      return `I shared the file with ${order.to.join(', ')}.`;
    }
    case 'invite': {
      const id = /^this\b/i.test(order.event) ? order.from.id : str((yield* findEvent(order.event, world)).id);
      yield* world.run('calendar_update', { id, add_attendees: order.who });
      return `I invited ${order.who.join(', ')}.`;
    }
    case 'meet':
      yield* world.run('calendar_create', { title: order.title, start: order.start, attendees: order.who });
      return `I invited ${order.who.join(', ')} to a new event.`;
    case 'append': {
      const isThis = !/["“]/.test(order.document) && order.from.kind === 'file';
      const id = isThis ? order.from.id : str((yield* findFile(order.document, world, 'document')).id);
      yield* world.run('documents_append', { id, text: yield* contentOf(order.what, order, world) });
      return 'I appended it.';
    }
    case 'look_up': {
      const query = (yield* contentOf(order.what, order, world)).slice(0, MOST_SEARCHED);
      yield* world.run('tickets_search', { query });
      return 'I searched for it.';
    }
    case 'delete':
      return yield* remove(order, world);
  }
}

function* remove({ what, from }: Order & { kind: 'delete' }, world: World): Plan {
  if (/\b(?:event|meeting|invitation|appointment)\b/i.test(what)) {
    const id = /^this\b/i.test(what) ? from.id : str((yield* findEvent(what, world)).id);
    yield* world.run('calendar_delete', { id });
  } else if (/\b(?:file|document|spreadsheet|folder)\b/i.test(what)) {
    const given = /\bid ["'“‘]?(?<id>[\w-]+)/i.exec(what)?.groups?.id;
    const id = given ?? (/^this\b/i.test(what) ? from.id : str((yield* findFile(what, world)).id));
    yield* world.run('drive_trash', { id });
  } else yield* world.run('mail_trash', { ids: yield* mailsToDelete(what, from, world) });
  return 'I deleted it.';
}

function* mailsToDelete(what: string, from: Order['from'], world: World): Plan<string[]> {
  if (/\b(?:every|all)\b/i.test(what)) {
    const query = /\bunread\b/i.test(what) ? 'in:inbox is:unread' : 'in:inbox';
    return listOf((yield* world.run('mail_search', { query, max: 10 })).items).map(({ id }) => str(id));
  }
  const sent = world.seen.findLast(({ tool }) => tool === 'mail_send')?.data.id;
  const id = SENT.test(what) ? str(sent) : from.kind === 'mail' ? from.id : '';
  if (id === '') throw new Stopped('I don’t know what to delete.');
  return [id];
}

/** What is to be sent or appended: it is read first, as far as it is the user's. */
function* contentOf(what: string, { from }: Order, world: World): Plan {
  const calls = sourcesOf(what, world);
  if (calls.length === 0) return quotedText(what) ?? (/^(?:this|it)\b/i.test(what) ? from.text : what);
  const results = yield* world.attempt(calls);
  const bodies = yield* readFound(results, world);
  return [...bodies].join('\n\n') || 'Nothing was found.';
}

function sourcesOf(what: string, world: World): Call[] {
  const words = quotedText(what);
  const sender = /\bfrom ["'“‘]?(?<who>[\w.+-]+@[\w.-]+\w|[A-Z]\w+)/.exec(what)?.groups?.who;
  const wanted: (readonly [RegExp, string, Data])[] = [
    [/\b(?:transactions|payments|bookings)\b/i, 'bank_transactions', { max: 5 }],
    [/\bbalances?\b/i, 'bank_balances', {}],
    [/\b(?:account|routing) numbers?\b|\bibans?\b/i, 'bank_numbers', {}],
    [/\b(?:events|meetings|calendar|appointments)\b/i, 'calendar_list', {}],
    [/\b(?:(?:e-?)?mails?|messages?|inbox|code)\b/i, 'mail_search', { query: mailSource(what, sender, words), max: 3 }],
    [
      /\b(?:files?|document|spreadsheet)\b/i,
      'drive_search',
      { ...(words !== undefined && { query: words }), max: /\bfiles\b/i.test(what) ? 5 : 1 },
    ],
  ];
  return wanted
    .filter(([pattern, tool]) => pattern.test(withoutQuotes(what)) && world.tools.has(tool))
    .map(([, tool, input]) => world.call(tool, input));
}

function mailSource(what: string, sender: string | undefined, words: string | undefined): string {
  if (sender !== undefined) return `from:${sender}`;
  if (words !== undefined) return `"${words}"`;
  return /\bunread\b/i.test(what) ? 'in:inbox is:unread' : 'in:inbox';
}

/** Mails and files that were found are read; the rest is the content already. */
function* readFound(results: readonly Result[], world: World): Plan<string[]> {
  const next = results.flatMap((result): Call[] => {
    if (!result.ok) return [];
    const items = listOf(result.data.items);
    if (result.tool === 'mail_search') return items.map(({ id }) => world.call('mail_read', { message: str(id) }));
    return result.tool === 'drive_search' ? items.map(({ id }) => world.call('drive_read', { id: str(id) })) : [];
  });
  const read = next.length === 0 ? [] : yield* world.attempt(next);
  return [...results, ...read].flatMap((result) => (result.ok ? textsFor(result, world.words) : []));
}

function textsFor({ tool, data }: Result & { ok: true }, words: Formatter): string[] {
  switch (tool) {
    case 'mail_read':
      return listOf(data.messages).map((mail) => mailText(mail, words));
    case 'drive_read':
      return [`${str(data.name)}:\n${str(data.text)}`];
    case 'bank_transactions':
      return [listOf(data.items).map(transactionLine).join('\n')];
    case 'bank_balances':
      return [listOf(data.accounts).map(balanceLine).join('\n')];
    case 'mail_search':
    case 'drive_search':
      return [];
    default:
      return [JSON.stringify(data)];
  }
}

function quotedText(what: string): string | undefined {
  const found = /["“](?<one>[^"”]+)["”]|(?<!\w)['‘](?<other>[^'’]+)['’](?!\w)/.exec(what)?.groups;
  return found?.one ?? found?.other;
}

function withoutQuotes(what: string): string {
  return unquoted(what)
    .replace(/["“][^"”]*["”]/g, '')
    .replace(/(?<!\w)['‘][^'’]+['’](?!\w)/g, '');
}
