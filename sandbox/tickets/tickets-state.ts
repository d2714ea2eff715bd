import { readSeed } from '../read-seed.ts';

export const STATUSES = ['open', 'in progress', 'closed'] as const;
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

export interface Comment {
  id: number;
  /** A user's id, or the address of a stranger. */
  author: string;
  text: string;
  /** ISO 8601. */
  created: string;
}

export interface Attachment {
  id: number;
  name: string;
  type: string;
  bytes: number;
}

export interface Ticket {
  id: number;
  /** Its key. */
  project: string;
  title: string;
  text: string;
  /** A user's id, or the address of a stranger. */
  reporter: string;
  assignee: string | null;
  status: (typeof STATUSES)[number];
  priority: (typeof PRIORITIES)[number];
  labels: string[];
  /** Users' ids. */
  watchers: string[];
  /** Ids of other tickets. */
  links: number[];
  created: string;
  updated: string;
  comments: Comment[];
  attachments: Attachment[];
  /** What was done to it, in words. */
  history: string[];
}

/** Someone who works with the tracker. */
export interface TicketUser {
  id: string;
  name: string;
  email: string;
}

export interface TicketsState {
  users: TicketUser[];
  projects: { key: string; name: string; lead: string }[];
  labels: string[];
  tickets: Ticket[];
  /** Of the next ticket or comment. */
  nextId: number;
}

interface Seed extends Pick<TicketsState, 'users' | 'projects' | 'labels'> {
  tickets: (Omit<Ticket, 'created' | 'updated' | 'comments' | 'attachments' | 'watchers' | 'links' | 'history'> & {
    hours: number;
    comments?: (Pick<Comment, 'author' | 'text'> & { hours: number })[];
    attachments?: Attachment[];
  })[];
}

const HOUR_MS = 3_600_000;
/** Above the ids of the seed. */
const FIRST_ID = 200;

/** The initial tickets. @param now milliseconds since 1970 */
export function seedTickets(now: number): TicketsState {
  const { tickets, ...rest } = readSeed<Seed>('tickets.yaml', import.meta.url);
  const before = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  let nextId = FIRST_ID;
  const seeded = tickets.map(({ hours, comments = [], attachments = [], ...ticket }): Ticket => {
    const written = comments.map(({ hours: age, ...comment }) => ({ id: nextId++, ...comment, created: before(age) }));
    const created = before(hours);
    const updated = written.at(-1)?.created ?? created;
    return { ...ticket, watchers: [], links: [], created, updated, comments: written, attachments, history: [] };
  });
  return { ...rest, tickets: seeded, nextId };
}
