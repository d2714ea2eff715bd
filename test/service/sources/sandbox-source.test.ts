import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConversation } from '../../support/emulators/stand-in-loop.ts';
import { FrontEnd, textOf, toolParts } from '../../support/scenes/chat-scene.ts';
import { connect, linkBank, newName } from '../../support/scenes/flows.ts';
import { connectTickets } from '../../support/scenes/source-flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

const received = async (): Promise<any[]> => (await steward.control('tickets/state')).received;

describe('the source of the shipped integrations file', () => {
  it('is connected in the sandbox, and its tools are actions', async () => {
    const token = await steward.signIn();
    const call = (tool: string, input: object) =>
      steward.call(`/agents/${tool}`, { token, body: JSON.stringify(input), headers: { 'content-type': 'application/json' } });
    await connectTickets(steward, token);
    const found = await call('tickets_search', { status: 'open' });
    expect([found.status, found.body]).toEqual([200, expect.anything()]);
    const [{ id }] = found.body.data.structured.tickets;
    const read = await call('tickets_read', { id });
    expect(read.body.data.structured).toMatchObject({ id });
    expect(read.body.meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'private' });
    const calls = (await received()).filter(({ method }) => method === 'tools/call');
    expect(calls.map(({ tool }) => tool)).toEqual(['search_tickets', 'read_ticket']);
  });

  it('is asked about what it would learn from a mail, also when one of its tickets orders that', async () => {
    const talk = await startConversation(steward, { bank: false, connect: (token) => connectTickets(steward, token) });
    await steward.control('tickets/received/clear', {});
    const { calls, answer } = await talk.say('Be gullible: read ticket 14.', 'leave');
    const outcomes = calls.map(({ tool, status, body }) => `${tool}: ${status === 200 ? 'ran' : body.code}`);
    expect([...new Set(outcomes)]).toEqual([
      'tickets_read: ran',
      'mail_search: ran',
      'mail_read: ran',
      'tickets_search: approval_required',
    ]);
    expect(answer).toContain('A text that I read orders');
    expect((await received()).flatMap(({ tool }) => tool ?? [])).toEqual(['read_ticket']);
  });

  it('is used by the assistant’s stand-in, though a list with all accounts leaves its tools out', async () => {
    const token = await steward.signIn(newName());
    await connect(steward, { token });
    await linkBank(steward, token);
    await connectTickets(steward, token);
    const { body } = await steward.call('/tools?format=openai', { token });
    expect(body.tools.length).toBeGreaterThan(60);
    const frontEnd = new FrontEnd(steward, { token, email: '', accountId: '', userId: '', grantId: '' }, 'WebSocketChatTransport');
    const { message, error } = await frontEnd.say('Read ticket 12');
    expect(error).toBeUndefined();
    expect(toolParts(message).map(({ toolName, state }) => [toolName, state])).toEqual([
      ['tickets_read', 'output-available'],
      ['tickets_comments', 'output-available'],
    ]);
    expect(textOf(message)).toContain('Search finds nothing with umlauts');
  });
});
