import { ownIntegrations } from '../support/inputs/own-integrations.ts';

const input = (...fields: string[]) =>
  `{ type: object, required: [${fields.join(', ')}], properties: { ${fields.map((field) => `${field}: { type: string }`).join(', ')} } }`;
const listOf = (field: string) =>
  `{ type: object, required: [id, ${field}], properties: { id: { type: string }, ${field}: { type: array, items: { type: object } } } }`;

/** Name, method, effect, input and arguments of each declared action. */
const DECLARED: readonly [string, string, 'write' | 'destructive', string, string][] = [
  ['invite', 'calendar.events.patch', 'destructive', listOf('guests'), 'calendarId: primary, eventId: $input.id, attendees: $input.guests'],
  ['retitle', 'calendar.events.patch', 'write', input('id', 'title'), 'calendarId: primary, eventId: $input.id, summary: $input.title'],
  ['batch', 'docs.documents.batchUpdate', 'write', listOf('requests'), 'documentId: $input.id, requests: $input.requests'],
  ['rename', 'drive.files.update', 'write', input('id', 'name'), 'fileId: $input.id, name: $input.name'],
  ['into', 'drive.files.create', 'destructive', input('name', 'folder'), 'name: $input.name, parents: [$input.folder]'],
  ['add', 'drive.files.update', 'destructive', input('id', 'folder'), 'fileId: $input.id, addParents: $input.folder, removeParents: root'],
  ['send', 'gmail.users.drafts.send', 'destructive', input('id'), 'userId: me, id: $input.id'],
];

/** The path of an `integrations.yaml` that is unlimited but for the rule: a limit must not look like protection. */
export function integrationsFile(tainted: 'ask' | 'deny'): string {
  return ownIntegrations(integrations(tainted));
}

/** Name, tool and members of each action of the sandbox's tracker. */
const TRACKER: readonly [string, string, string][] = [
  ['search', 'search_tickets', 'effect: read'],
  ['read', 'read_ticket', 'effect: read'],
  ['comments', 'list_comments', 'effect: read'],
  ['count', 'count_tickets', 'effect: read'],
  ['users', 'list_users', 'effect: read'],
  ['create', 'create_ticket', 'effect: write'],
  ['comment', 'add_comment', 'effect: write'],
  ['close', 'close_ticket', 'effect: write'],
  ['notify', 'run_action', 'effect: write, dispatches: action, with: { action: notify_reporter }'],
];

function integrations(tainted: 'ask' | 'deny'): string {
  const scopes = { mail: 'mail.modify, drive', calendar: 'calendar.events.owned', documents: 'documents, drive', drive: 'drive' };
  const agents = Object.entries(scopes).map(
    ([name, list]) => `  ${name}: { provider: workspace, description: ${name}., scopes: [${list}] }\n`,
  );
  const declared = DECLARED.map(
    ([name, method, effect, schema, given]) =>
      `      ${name}: { call: ${method}, description: ${name}., effect: ${effect}, input: ${schema}, with: { ${given} } }\n`,
  );
  const tracker = TRACKER.map(([name, tool, members]) => `      ${name}: { tool: ${tool}, ${members} }\n`);
  return `version: 1
defaults: { policy: { rate: 9999/sec, tainted: ${tainted} } }
sources: { tickets: { url: sandbox, label: Tickets, trust: third_party } }
agents:
${agents.join('')}  bank: { provider: bank, description: bank., products: [transactions, auth] }
  declared:
    provider: workspace
    description: declared.
    scopes: [mail.modify, drive, documents, calendar.events.owned]
    actions:
${declared.join('')}  tickets:
    provider: mcp
    source: tickets
    description: tickets.
    actions:
${tracker.join('')}`;
}
