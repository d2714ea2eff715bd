import { z } from 'zod';
import { reading, said, type TicketTool, ticketId, ticketOf } from './ticket-tool.ts';
import { PRIORITIES, STATUSES, type Ticket } from './tickets-state.ts';

const MOST_FOUND = 50;
const FOUND = 20;

const row = z.object({
  id: z.int(),
  title: z.string(),
  project: z.string(),
  status: z.enum(STATUSES),
  priority: z.enum(PRIORITIES),
  assignee: z.string().nullable(),
  labels: z.array(z.string()),
  updated: z.string(),
});
const rows = z.object({ tickets: z.array(row), total: z.int() });
/** A whole ticket, as tools give it. */
export const wholeTicket = row.extend({
  text: z.string(),
  reporter: z.string(),
  created: z.string(),
  comments: z.int().describe('How many there are; list_comments has their texts'),
  attachments: z.array(z.string()),
  links: z.array(z.int()),
});
const comment = z.object({ id: z.int(), author: z.string(), text: z.string(), created: z.string() });
const user = z.object({ id: z.string(), name: z.string(), email: z.string() });
const project = z.object({ key: z.string(), name: z.string(), lead: z.string() });

export function wholeTicketOf(ticket: Ticket) {
  const { text, reporter, created, comments, attachments, links } = ticket;
  return { ...rowOf(ticket), text, reporter, created, comments: comments.length, attachments: attachments.map(({ name }) => name), links };
}

function rowOf({ id, title, project: key, status, priority, assignee, labels, updated }: Ticket) {
  return { id, title, project: key, status, priority, assignee, labels, updated };
}

function found(tickets: readonly Ticket[], limit = FOUND): { data: z.output<typeof rows> } {
  const newest = tickets.toSorted((a, b) => (a.updated < b.updated ? 1 : -1));
  return { data: { tickets: newest.slice(0, limit).map(rowOf), total: tickets.length } };
}

/** Whether the words of a query are all in a ticket. */
function has(ticket: Ticket, query: string): boolean {
  const text = [ticket.title, ticket.text, ticket.reporter, ...ticket.comments.map((one) => one.text)].join('\n').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Tools that change nothing. */
export const READING_TOOLS: readonly TicketTool[] = [
  reading({
    name: 'search_tickets',
    title: 'Search tickets',
    description: 'Finds tickets by words in their title, text and comments, and by their fields. The newest changes come first.',
    input: {
      query: z.string().max(20_000).optional().describe('Words that must all occur'),
      status: z.enum(STATUSES).optional(),
      project: z.string().max(20).optional().describe('The key of a project, e.g. PORTAL'),
      label: z.string().max(50).optional(),
      assignee: z.string().max(100).optional().describe('The id of a user'),
      limit: z.int().min(1).max(MOST_FOUND).optional(),
    },
    output: rows,
    run({ query = '', status, project: key, label, assignee, limit }, { state }) {
      const matching = state.tickets.filter(
        (ticket) =>
          (status === undefined || ticket.status === status) &&
          (key === undefined || ticket.project === key) &&
          (label === undefined || ticket.labels.includes(label)) &&
          (assignee === undefined || ticket.assignee === assignee) &&
          has(ticket, query),
      );
      return found(matching, limit);
    },
  }),
  reading({
    name: 'read_ticket',
    title: 'Read a ticket',
    description: 'A ticket with its text. Comments are read with list_comments.',
    input: { id: ticketId },
    output: wholeTicket,
    run: ({ id }, call) => ({ data: wholeTicketOf(ticketOf(call, id)) }),
  }),
  reading({
    name: 'list_comments',
    title: 'List comments',
    description: 'The comments on a ticket, the oldest first.',
    input: { id: ticketId },
    output: z.object({ comments: z.array(comment) }),
    run: ({ id }, call) => ({ data: { comments: ticketOf(call, id).comments } }),
  }),
  reading({
    name: 'my_tickets',
    title: 'My tickets',
    description: 'Tickets that are assigned to you and not closed.',
    input: {},
    output: rows,
    run: (_input, { state, user: { id } }) => found(state.tickets.filter((one) => one.assignee === id && one.status !== 'closed')),
  }),
  reading({
    name: 'count_tickets',
    title: 'Count tickets',
    description: 'How many tickets there are, by one of their fields.',
    input: { by: z.enum(['status', 'priority', 'project', 'assignee']) },
    output: z.object({ counts: z.array(z.object({ name: z.string(), tickets: z.int() })) }),
    run({ by }, { state }) {
      const groups = Map.groupBy(state.tickets, (ticket) => ticket[by] ?? 'nobody');
      return { data: { counts: [...groups].map(([name, tickets]) => ({ name, tickets: tickets.length })) } };
    },
  }),
  reading({
    name: 'list_projects',
    title: 'List projects',
    description: 'All projects, with their keys.',
    input: {},
    output: z.object({ projects: z.array(project) }),
    run: (_input, { state }) => ({ data: { projects: state.projects } }),
  }),
  reading({
    name: 'list_labels',
    title: 'List labels',
    description: 'All labels that tickets can have.',
    input: {},
    output: z.object({ labels: z.array(z.string()) }),
    run: (_input, { state }) => ({ data: { labels: state.labels } }),
  }),
  reading({
    name: 'list_users',
    title: 'List users',
    description: 'The people who work with this tracker.',
    input: {},
    output: z.object({ users: z.array(user) }),
    run: (_input, { state }) => ({ data: { users: state.users } }),
  }),
  reading({
    name: 'list_attachments',
    title: 'List attachments',
    description: 'The files of a ticket, as links.',
    input: { id: ticketId },
    run({ id }, call) {
      const { attachments } = ticketOf(call, id);
      const links = attachments.map(({ id: file, name, type: mimeType, bytes: size }) => {
        return { type: 'resource_link' as const, uri: `tickets://attachments/${file}`, name, mimeType, size };
      });
      return { content: [{ type: 'text', text: `${links.length} attached to ticket ${id}.` }, ...links] };
    },
  }),
  reading({
    name: 'get_history',
    title: 'History of a ticket',
    description: 'What was changed in a ticket, as text.',
    input: { id: ticketId },
    run: ({ id }, call) => said(ticketOf(call, id).history.join('\n') || 'Nothing was changed.'),
  }),
  reading({
    name: 'whoami',
    description: 'Who is signed in.',
    input: {},
    run: (_input, { user: { name, email } }) => said(`${name} <${email}>`),
  }),
];
