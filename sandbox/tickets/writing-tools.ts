import { z } from 'zod';
import { wholeTicket, wholeTicketOf } from './reading-tools.ts';
import {
  ADDS,
  CHANGES,
  REPLACES,
  said,
  type TicketAnswer,
  type TicketCall,
  TicketProblem,
  type TicketTool,
  ticketId,
  ticketOf,
  userOf,
  writing,
} from './ticket-tool.ts';
import { PRIORITIES, type Ticket } from './tickets-state.ts';

const MOST_TEXT = 20_000;
const title = z.string().min(1).max(200);
const text = z.string().max(MOST_TEXT);
const priority = z.enum(PRIORITIES);
const label = z.string().min(1).max(50);

/** Notes a change, and answers with the ticket. */
function changed(ticket: Ticket, call: TicketCall, what: string): TicketAnswer {
  ticket.updated = call.now;
  ticket.history.push(`${call.now} ${call.user.id}: ${what}`);
  return { data: wholeTicketOf(ticket) };
}

/** @throws TicketProblem unless there is such a label */
function known(name: string, { state }: TicketCall): string {
  if (!state.labels.includes(name)) throw new TicketProblem(`There is no label ${name}. list_labels names all of them.`);
  return name;
}

/** What run_action does, by its name. */
const ACTIONS: Readonly<Record<string, (ticket: Ticket, call: TicketCall) => string>> = {
  notify_reporter: ({ id, reporter }) => `A mail about ticket ${id} is on its way to ${reporter}.`,
  export_ticket: ({ id }) => `Ticket ${id} was exported to tickets://exports/${id}.`,
  delete_ticket({ id }, { state }) {
    state.tickets = state.tickets.filter((ticket) => ticket.id !== id);
    return `Ticket ${id} was deleted.`;
  },
};

/** Tools that change something. */
export const WRITING_TOOLS: readonly TicketTool[] = [
  writing({
    name: 'create_ticket',
    title: 'Create a ticket',
    description: 'Creates a ticket in a project.',
    annotations: ADDS,
    input: { project: z.string().max(20), title, text, priority: priority.optional(), labels: z.array(label).max(10).optional() },
    output: wholeTicket,
    run({ project, title: heading, text: body, priority: urgency = 'normal', labels = [] }, call) {
      const { state, user, now } = call;
      if (state.projects.every(({ key }) => key !== project)) throw new TicketProblem(`There is no project ${project}.`);
      const ticket: Ticket = {
        ...{ id: state.nextId++, project, title: heading, text: body, reporter: user.id, assignee: null, status: 'open' },
        ...{ priority: urgency, labels: labels.map((one) => known(one, call)), watchers: [], links: [], created: now, updated: now },
        ...{ comments: [], attachments: [], history: [] },
      };
      state.tickets.push(ticket);
      return changed(ticket, call, 'created');
    },
  }),
  writing({
    name: 'update_ticket',
    title: 'Change a ticket',
    description: 'Replaces the title, the text or the priority of a ticket.',
    annotations: REPLACES,
    input: { id: ticketId, title: title.optional(), text: text.optional(), priority: priority.optional() },
    output: wholeTicket,
    run({ id, ...fields }, call) {
      const ticket = ticketOf(call, id);
      return changed(Object.assign(ticket, fields), call, `changed ${Object.keys(fields).join(', ')}`);
    },
  }),
  writing({
    name: 'add_comment',
    title: 'Comment on a ticket',
    description: 'Adds a comment, which the reporter and all who watch the ticket receive by mail.',
    annotations: { ...ADDS, openWorldHint: true },
    input: { id: ticketId, text: text.min(1) },
    output: z.object({ id: z.int(), ticket: z.int() }),
    run({ id, text: body }, call) {
      const ticket = ticketOf(call, id);
      const comment = { id: call.state.nextId++, author: call.user.id, text: body, created: call.now };
      ticket.comments.push(comment);
      changed(ticket, call, 'commented');
      return { data: { id: comment.id, ticket: id } };
    },
  }),
  writing({
    name: 'delete_comment',
    title: 'Delete a comment',
    description: 'Deletes a comment for good.',
    annotations: { ...REPLACES, idempotentHint: false },
    input: { id: ticketId, comment: z.int().min(1) },
    run({ id, comment }, call) {
      const ticket = ticketOf(call, id);
      if (ticket.comments.every((one) => one.id !== comment)) throw new TicketProblem(`Ticket ${id} has no comment ${comment}.`);
      ticket.comments = ticket.comments.filter((one) => one.id !== comment);
      changed(ticket, call, `deleted comment ${comment}`);
      return said(`Comment ${comment} is gone.`);
    },
  }),
  writing({
    name: 'assign_ticket',
    title: 'Assign a ticket',
    description: 'Gives a ticket to a user, or with null to nobody.',
    annotations: CHANGES,
    input: { id: ticketId, user: z.string().max(100).nullable().describe('The id of a user') },
    output: wholeTicket,
    run({ id, user }, call) {
      const ticket = ticketOf(call, id);
      ticket.assignee = user === null ? null : userOf(call, user).id;
      return changed(ticket, call, `assigned to ${ticket.assignee ?? 'nobody'}`);
    },
  }),
  writing({
    name: 'close_ticket',
    title: 'Close a ticket',
    description: 'Closes a ticket. It can be opened again with reopen_ticket.',
    annotations: CHANGES,
    input: { id: ticketId },
    output: wholeTicket,
    run({ id }, call) {
      const ticket = ticketOf(call, id);
      ticket.status = 'closed';
      return changed(ticket, call, 'closed');
    },
  }),
  writing({
    name: 'reopen_ticket',
    title: 'Reopen a ticket',
    description: 'Opens a closed ticket again.',
    annotations: CHANGES,
    input: { id: ticketId },
    output: wholeTicket,
    run({ id }, call) {
      const ticket = ticketOf(call, id);
      ticket.status = 'open';
      return changed(ticket, call, 'opened again');
    },
  }),
  writing({
    name: 'add_label',
    title: 'Add a label',
    description: 'Adds a label to a ticket.',
    annotations: CHANGES,
    input: { id: ticketId, label },
    output: wholeTicket,
    run({ id, label: name }, call) {
      const ticket = ticketOf(call, id);
      ticket.labels = [...new Set([...ticket.labels, known(name, call)])];
      return changed(ticket, call, `labelled ${name}`);
    },
  }),
  writing({
    name: 'remove_label',
    title: 'Remove a label',
    description: 'Removes a label from a ticket.',
    annotations: REPLACES,
    input: { id: ticketId, label },
    output: wholeTicket,
    run({ id, label: name }, call) {
      const ticket = ticketOf(call, id);
      ticket.labels = ticket.labels.filter((one) => one !== name);
      return changed(ticket, call, `no longer labelled ${name}`);
    },
  }),
  writing({
    name: 'link_tickets',
    title: 'Link two tickets',
    description: 'Notes that a ticket has to do with another one.',
    annotations: CHANGES,
    input: { id: ticketId, other: ticketId },
    output: wholeTicket,
    run({ id, other }, call) {
      const ticket = ticketOf(call, id);
      ticket.links = [...new Set([...ticket.links, ticketOf(call, other).id])];
      return changed(ticket, call, `linked to ${other}`);
    },
  }),
  writing({
    name: 'watch_ticket',
    title: 'Watch a ticket',
    description: 'Sends you a mail at each change of a ticket, or with `watch: false` no longer.',
    annotations: CHANGES,
    input: { id: ticketId, watch: z.boolean() },
    run({ id, watch }, call) {
      const ticket = ticketOf(call, id);
      const others = ticket.watchers.filter((one) => one !== call.user.id);
      ticket.watchers = watch ? [...others, call.user.id] : others;
      return said(watch ? `You watch ticket ${id}.` : `You no longer watch ticket ${id}.`);
    },
  }),
  // As many servers have it: what really happens is in an argument, and nothing is said about its effects.
  writing({
    name: 'run_action',
    description: `Runs an action on a ticket: ${Object.keys(ACTIONS).join(', ')}.`,
    input: { action: z.string().max(100), id: ticketId },
    run({ action, id }, call) {
      const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
      if (act === undefined) throw new TicketProblem(`There is no action ${action}.`);
      return said(act(ticketOf(call, id), call));
    },
  }),
];
