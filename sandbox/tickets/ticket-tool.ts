import { z } from 'zod';
import type { Ticket, TicketsState, TicketUser } from './tickets-state.ts';

/** What a tool works with. */
export interface TicketCall {
  state: TicketsState;
  /** Who is signed in. */
  user: TicketUser;
  /** ISO 8601. */
  now: string;
}

/** A tool's answer: data of its output schema, or content as the protocol has it. */
export type TicketAnswer = { data: Record<string, unknown> } | { content: TicketContent[] };

export type TicketContent =
  | { type: 'text'; text: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; size: number };

/** What a tool says about itself (MCP 2026-07-28, `ToolAnnotations`). */
export interface Annotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface TicketTool {
  name: string;
  title?: string;
  description: string;
  annotations?: Annotations;
  input: z.ZodType;
  output?: z.ZodType;
  /** Whether it is refused to those who may only read. */
  writes: boolean;
  /** @throws TicketProblem */
  run(input: unknown, call: TicketCall): TicketAnswer;
}

/** Why a tool could not do what it was asked; the message is for whoever asked. */
export class TicketProblem extends Error {}

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
export const ADDS: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const CHANGES: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const REPLACES: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

interface Defined<Shape extends z.core.$ZodLooseShape> extends Omit<TicketTool, 'input' | 'writes' | 'run'> {
  input: Shape;
  run(input: z.output<z.ZodObject<Shape>>, call: TicketCall): TicketAnswer;
}

/** A tool that changes nothing. */
export function reading<Shape extends z.core.$ZodLooseShape>({ input, run, ...tool }: Defined<Shape>): TicketTool {
  return { annotations: READS, ...tool, input: z.strictObject(input), writes: false, run: run as TicketTool['run'] };
}

/** A tool that changes something. It has the annotations that it is given. */
export function writing<Shape extends z.core.$ZodLooseShape>({ input, run, ...tool }: Defined<Shape>): TicketTool {
  return { ...tool, input: z.strictObject(input), writes: true, run: run as TicketTool['run'] };
}

/** A text as the only content. */
export function said(text: string): TicketAnswer {
  return { content: [{ type: 'text', text }] };
}

export const ticketId = z.int().min(1).describe('The number of the ticket');

/** @throws TicketProblem unless there is such a ticket */
export function ticketOf({ state }: TicketCall, id: number): Ticket {
  const found = state.tickets.find((ticket) => ticket.id === id);
  if (found === undefined) throw new TicketProblem(`There is no ticket ${id}.`);
  return found;
}

/** @throws TicketProblem unless there is such a user */
export function userOf({ state }: Pick<TicketCall, 'state'>, id: string): TicketUser {
  const found = state.users.find((user) => user.id === id || user.email === id);
  if (found === undefined) throw new TicketProblem(`There is no user ${id}. list_users names all of them.`);
  return found;
}
