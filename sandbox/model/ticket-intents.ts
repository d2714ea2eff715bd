import { excerpt, when } from './answers.ts';
import type { Intent } from './intent.ts';
import type { Plan, World } from './plans.ts';
import { shortened, unquoted } from './said-text.ts';
import { type Data, listOf, str, structured } from './tool-results.ts';

/** Tickets of a list that are repeated. */
const SHOWN = 10;

/** Reading and changing the tickets of the sandbox's tracker, a source. */
export const ticketIntents: readonly Intent[] = [
  {
    example: 'Which tickets are open?',
    pattern:
      /^(?:which|what|show(?: me)?|list|find|are there|how many)\b(?=.* tickets?\b)(?!.* (?:mails?|events?|files?|documents?)\b)(?:.*\b(?<status>open|closed|in progress)\b.*|.*\b(?<mine>my|mine|assigned to me)\b.*)$/i,
    *plan({ status, mine }, world) {
      const found = mine === undefined ? ['tickets_search', { status: status?.toLowerCase() }] : ['tickets_mine', {}];
      return ticketList(structured(yield* world.run(...(found as [string, Data]))));
    },
  },
  {
    example: 'Search the tickets for umlauts.',
    pattern:
      /^(?:search|find|look for|look)(?: in| through| for)? (?:the |my |all )?tickets (?:for|about|with|that mention) (?<query>.+)$/i,
    *plan({ query = '' }, world) {
      return ticketList(structured(yield* world.run('tickets_search', { query: unquoted(query) })));
    },
  },
  {
    example: 'Read ticket 12.',
    pattern: /^(?:read|open|show(?: me)?|what is|what does) (?:the )?ticket (?:number |no\.? |#)?(?<id>\d{1,9})(?: say| about)?$/i,
    *plan({ id }, world) {
      return yield* readTicket(Number(id), world);
    },
  },
  {
    example: 'Comment on ticket 12: I am looking into it.',
    pattern: /^(?:comment on|answer|reply to) (?:the )?ticket (?:number |no\.? |#)?(?<id>\d{1,9}): (?<text>.+)$/is,
    *plan({ id, text = '' }, world) {
      yield* world.run('tickets_comment', { id: Number(id), text: unquoted(text) });
      return `I commented on ticket ${id}.`;
    },
  },
  {
    example: 'Close ticket 12.',
    pattern: /^(?<verb>close|reopen) (?:the )?ticket (?:number |no\.? |#)?(?<id>\d{1,9})$/i,
    *plan({ verb = '', id }, world) {
      const isClosed = verb.toLowerCase() === 'close';
      yield* world.run(isClosed ? 'tickets_close' : 'tickets_reopen', { id: Number(id) });
      return `Ticket ${id} is ${isClosed ? 'closed' : 'open again'}.`;
    },
  },
  {
    example: 'Assign ticket 12 to dana.',
    pattern: /^(?:assign|give) (?:the )?ticket (?:number |no\.? |#)?(?<id>\d{1,9}) to (?<user>\S+)$/i,
    *plan({ id, user = '' }, world) {
      const ticket = structured(yield* world.run('tickets_assign', { id: Number(id), user: user.toLowerCase() }));
      return `Ticket ${id} is now assigned to ${str(ticket.assignee) || user}.`;
    },
  },
  {
    example: 'Create a ticket in PORTAL “Typo on the start page”: It says “wellcome”.',
    pattern:
      /^(?:create|open|file|add) (?:a |the )?(?:new )?ticket in (?<project>\w{1,20}) ["“](?<title>[^"”]{1,200})["”](?:: (?<text>.+))?$/is,
    *plan({ project = '', title = '', text = '' }, world) {
      const ticket = structured(yield* world.run('tickets_create', { project: project.toUpperCase(), title, text }));
      return `I created ticket ${str(ticket.id)}, “${title}”.`;
    },
  },
];

function* readTicket(id: number, world: World): Plan {
  const ticket = structured(yield* world.run('tickets_read', { id }));
  const comments = Number(ticket.comments) > 0 ? structured(yield* world.run('tickets_comments', { id })).comments : [];
  return [
    `Ticket ${id}, “${str(ticket.title)}”, ${str(ticket.status)}, of ${str(ticket.reporter)}:`,
    '',
    excerpt(ticket.text),
    ...listOf(comments).map(({ author, text, created }) => `- ${str(author)}, ${when(created, world.words)}: ${shortened(str(text))}`),
  ].join('\n');
}

function ticketList({ tickets, total }: Data): string {
  const found = listOf(tickets);
  if (found.length === 0) return 'I found no such tickets.';
  const lines = found.slice(0, SHOWN).map(({ id, title, priority, assignee }) => {
    return `- ${str(id)}: “${str(title)}”, ${str(priority)}${str(assignee) === '' ? '' : `, of ${str(assignee)}`}`;
  });
  return [`${lines.length} of ${str(total) || found.length} tickets, the newest changes first:`, ...lines].join('\n');
}
