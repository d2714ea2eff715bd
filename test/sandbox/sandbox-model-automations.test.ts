import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { templates } from '../../public/language/en/automations.js';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';
import { everyTool, steps } from '../support/servers/chat-completions.ts';

let host: SandboxHost;
let tools: object[];
const directory = temporaryDirectory();

beforeAll(async () => {
  host = await hostSandbox(directory.path);
  tools = await everyTool();
});

afterAll(async () => {
  await host.stop();
  directory.remove();
});

/** The calls of a run, by what Steward says to the model. */
async function callsOf(request: string, results: Record<string, unknown>): Promise<{ tool: string; args: object }[]> {
  return (await steps(host.url, request, results, tools)).flatMap(({ calls }) => calls);
}

const MAIL = {
  messages: [{ id: 'm1', from: 'Acme <billing@acme.example>', subject: 'Invoice 7', text: '120 EUR', date: '2026-11-30T08:00:00Z' }],
};

describe('the requests of the templates, to the stand-in', () => {
  it('of the morning brief: reads the day and the unread mail', async () => {
    const calls = await callsOf(templates.brief.prompt, { calendar_list: { items: [] }, mail_search: { items: [] } });
    expect(calls.map(({ tool }) => tool)).toEqual(['calendar_list', 'mail_search']);
    expect(calls[1]?.args).toMatchObject({ query: 'in:inbox is:unread' });
  });

  it('of invoices: reads the mail of the event, and replies to it', async () => {
    const event = 'Event: mail.received, account 0b3f, message m1, thread t1';
    const calls = await callsOf(`${templates.invoices.prompt}\n\n${event}`, { mail_read: MAIL, mail_send: { id: 's1' } });
    expect(calls).toEqual([
      { tool: 'mail_read', args: { message: 'm1' } },
      { tool: 'mail_send', args: { to: ['billing@acme.example'], body: 'Thank you, the invoice has arrived.', reply_to: 'm1' } },
    ]);
  });

  it('of a meeting: reads the event and looks for mail about it, also when the run is late', async () => {
    const late = 'This run was planned for 2026-11-30T08:00:00.000Z. It is late: nothing ran at that time.';
    const event = 'Event: calendar.starting, account 0b3f, event e1, start 2026-11-30T09:00:00Z';
    const meeting = { id: 'e1', title: 'Review', start: '2026-11-30T09:00:00Z', end: '2026-11-30T10:00:00Z' };
    const calls = await callsOf(`${templates.meeting.prompt}\n\n${late}\n\n${event}`, {
      calendar_get: meeting,
      mail_search: { items: [] },
    });
    expect(calls).toEqual([
      { tool: 'calendar_get', args: { id: 'e1' } },
      { tool: 'mail_search', args: { query: 'subject:"Review"', max: 3 } },
    ]);
  });
});
