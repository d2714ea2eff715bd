import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS } from '../../../src/events/event-data.ts';
import { FRAMES } from '../../../src/socket/frames/frames.ts';
import { type AsyncApi, DocumentedFrames, newAjv } from '../../support/openapi/asyncapi-frames.ts';
import { connect, linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const META_SCHEMA = new URL('../../../node_modules/@asyncapi/specs/schemas/3.1.0-without-$id.json', import.meta.url);

let steward: TestSteward;
let document: AsyncApi;

beforeAll(async () => {
  steward = await startSteward();
  const response = await steward.call('/asyncapi.json');
  expect(response.status).toBe(200);
  document = response.body;
});

afterAll(() => steward.stop());

/** A socket whose frames, in both directions, are compared with the document. */
class JudgedClient extends SocketClient {
  readonly problems: string[] = [];
  readonly documented = new DocumentedFrames(document);

  override send(frame: unknown): void {
    this.problems.push(...this.documented.sent(JSON.parse(JSON.stringify(frame))));
    super.send(frame);
  }

  /** What was wrong with all frames so far, and the messages that were seen. */
  judge(): { problems: string[]; seen: string[] } {
    const received = this.frames.flatMap((frame) => this.documented.received(frame));
    return { problems: [...this.problems, ...received], seen: [...this.documented.seen].sort() };
  }
}

describe('GET /asyncapi.json', () => {
  it('is a valid AsyncAPI 3.1.0 document', () => {
    const validate = newAjv().compile(JSON.parse(readFileSync(META_SCHEMA, 'utf8')));
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(document).toMatchObject({ asyncapi: '3.1.0', servers: { steward: { protocol: 'ws' } }, channels: { ws: { address: '/ws' } } });
  });

  it('has no reference without a target', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g)].map(([, path = '']) => path);
    const targetOf = (path: string) =>
      path
        .split('/')
        .slice(1)
        .reduce((part: any, key) => part?.[key], document);
    expect(references.length).toBeGreaterThan(150);
    expect(references.filter((path) => targetOf(path) === undefined)).toEqual([]);
  });

  it('has an operation for each frame, an event for each name, and the schemas of each action', () => {
    expect(Object.keys(document.operations).sort()).toEqual([...Object.keys(FRAMES), 'event'].sort());
    expect((document.components.schemas.EventFrame as { oneOf: object[] }).oneOf).toHaveLength(Object.keys(EVENTS).length);
    const actions = document['x-actions'] as Record<string, { input: { $ref: string } }>;
    expect(actions['mail.search']?.input.$ref).toBe('#/components/schemas/mail.search.input');
    expect(Object.keys(actions)).toHaveLength(48);
  });
});

describe('the frames of a session', () => {
  it('are those of the document, and each of its messages occurs', async () => {
    const email = 'demo@example.com';
    const { token } = await connect(steward, { email });
    const client = new JudgedClient(steward.url);
    await new Promise((resolve) => client.socket.once('open', resolve));
    await client.authenticate(token);
    await client.request({ type: 'list' });
    await linkBank(steward, token);
    await client.event('account.connected');

    await steward.control('faults', { part: 'workspace', kind: 'hang', path: '/api/gmail' });
    const long = client.request({ type: 'call', action: 'mail.labels' });
    await client.next(({ type }) => type === 'progress');
    await steward.control('faults/clear', {});
    await long;

    const found = await client.request({ type: 'call', action: 'mail.search', input: { max: 2 } });
    const isOutput = client.documented.schema('mail.search.output');
    expect(isOutput(found.data) ? [] : [found, isOutput.errors]).toEqual([]);
    await client.request({ type: 'call', action: 'mail.search', account: 'nobody@example.com' });
    await client.request({ type: 'call', action: 'bank.balances' });
    await client.request({ type: 'call', action: 'mail.labels', wrong: true });

    const asked = await client.request({ type: 'call', action: 'mail.send', input: { to: [email], subject: 'Lunch', body: 'Noon?' } });
    const { approvalId } = asked.error;
    await client.request({ type: 'approvals' });
    await client.request({ type: 'approve', approvalId, approved: true });
    await client.request({ type: 'approval_result', approvalId });
    await client.request({ type: 'abort', id: 'none' });

    const chat = { id: 'thread-1', headers: {}, body: {}, metadata: { kept: 'by the transport' } };
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'What can you do?' }] };
    client.send({ type: 'send', requestId: 'chat', trigger: 'submit-message', messages: [message], ...chat });
    await client.next(({ requestId, type }) => requestId === 'chat' && ['end', 'error'].includes(type));
    client.send({ type: 'resume', requestId: 'none', ...chat, id: 'thread-2' });
    await client.next(({ type }) => type === 'no-active');

    const { problems, seen } = client.judge();
    // The field that is not known is rejected by the document, too.
    expect(problems).toEqual(['call must NOT have additional properties {"additionalProperty":"wrong"}']);
    expect(seen).toEqual(Object.keys(document.components.messages).sort());
    await client.close();
  });
});
