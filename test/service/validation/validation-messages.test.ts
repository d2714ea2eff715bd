import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let steward: TestSteward;
let client: SocketClient;

beforeAll(async () => {
  steward = await startSteward({ MODELS: '[]' });
});

afterAll(() => steward.stop());

beforeEach(async () => {
  client = await SocketClient.signedIn(steward.url, await steward.signIn());
});

afterEach(() => client.close());

const SOME_ID = 'b7b0a4a2-7a5f-4a57-9c53-d7f3a1f0a001';
const TYPES = 'authenticate, list, call, approvals, approve, approval_result, abort, send, resume';

describe('the error of an invalid frame is in plain words', () => {
  it.each([
    ['an unknown field', { type: 'call', action: 'mail.search', nonsense: 1 }, 'nonsense: is unknown'],
    ['a misspelt field', { type: 'call', action: 'mail.search', acount: 'me' }, 'acount: is unknown (did you mean account?)'],
    [
      'a key in another case',
      { type: 'call', action: 'mail.send', idempotencykey: 'k' },
      'idempotencykey: is unknown (did you mean idempotencyKey?)',
    ],
    ['a misspelt required field', { type: 'call', acton: 'mail.search' }, 'acton: is unknown (did you mean action?)'],
    ['a field too many in a list', { type: 'list', agent: 'mail' }, 'agent: is unknown'],
    ['an input of null', { type: 'call', action: 'mail.search', input: null }, 'input: must be an object'],
    ['an input that is a list', { type: 'call', action: 'mail.search', input: [] }, 'input: must be an object'],
    ['a missing action', { type: 'call' }, 'action: is required'],
    ['an approval that is not a UUID', { type: 'approve', approvalId: 'ap_7', approved: true }, 'approvalId: must be a UUID'],
    ['an invalid decision', { type: 'approve', approvalId: SOME_ID, approved: 'yes' }, 'approved: must be true or false'],
    ['a misspelt type', { type: 'aprove', approvalId: SOME_ID, approved: true }, 'type: aprove is unknown (did you mean approve?)'],
    ['an unknown type', { type: 'subscribe' }, `type: subscribe is unknown, only ${TYPES}`],
    ['an inherited name as type', { type: 'constructor' }, `type: constructor is unknown, only ${TYPES}`],
    ['no type', { input: {} }, `type: is required: one of ${TYPES}`],
  ])('%s', async (_what, frame, errorText) => {
    expect(await client.request(frame)).toMatchObject({ type: 'error', errorText, error: { code: 'invalid_request', retryable: false } });
  });

  it('a list of frames, a missing requestId, an endless name', async () => {
    client.send([{ type: 'list', requestId: '1' }]);
    client.send({ type: 'list' });
    client.send({ type: 'list', requestId: '2', [`\u202e${'x'.repeat(10_000)}`]: 1 });
    await client.request({ type: 'list' });
    expect(client.frames.filter(({ type }) => type === 'error').map(({ errorText }) => errorText)).toEqual([
      'The frame must be an object with a type and a requestId.',
      'requestId: is required',
      `�${'x'.repeat(59)}…: is unknown`,
    ]);
  });

  it('frames of chat may have any content', async () => {
    const response = await client.request({
      type: 'send',
      id: 't',
      trigger: 'submit-message',
      headers: 7,
      messages: [{}],
      newer: { fields: [] },
    });
    expect(response.error.code).toBe('assistant_disabled');
  });
});

describe('the error of an invalid input is in plain words', () => {
  it.each([
    ['too much', 'mail.search', { max: 26 }, 'max: must be at most 25'],
    ['too little', 'mail.search', { max: 0 }, 'max: must be at least 1'],
    ['a fraction', 'mail.search', { max: 1.5 }, 'max: must be a whole number'],
    ['a word for a number', 'mail.search', { max: 'ten' }, 'max: must be a number'],
    ['a shortened name', 'mail.search', { q: 'is:unread' }, 'q: is unknown (did you mean query?)'],
    ['a field too many', 'mail.search', { nonsense: 1 }, 'nonsense: is unknown'],
    ['a number for a word', 'mail.search', { query: 7 }, 'query: must be a string'],
    ['an empty list', 'mail.label', { ids: [], add: ['x'] }, 'ids: must not be empty'],
    ['an item of another type', 'mail.label', { ids: [7], add: ['x'] }, 'ids.0: must be a string'],
    ['a word for a list', 'mail.label', { ids: 'm1', add: ['x'] }, 'ids: must be a list'],
    ['a value that is not a choice', 'drive.share', { id: 'file1', email: 'a@example.com', role: 'god' }, /^role: must be one of /],
  ])('%s', async (_what, action, input, errorText) => {
    const response = await client.request({ type: 'call', action, input });
    const expected = typeof errorText === 'string' ? errorText : expect.stringMatching(errorText);
    expect(response).toMatchObject({ type: 'error', errorText: expected, error: { code: 'invalid_request' } });
  });
});
