import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  // No time limit ends it: the number of bytes does.
  steward = await startSteward({ LIMIT_REQUEST_TIMEOUT_MS: '600000' });
});

afterAll(() => steward.stop());

/** Sends a request and then an endless body, until the service closes the connection. */
function flood(lines: string[], piece: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(steward.url).port), '127.0.0.1');
    const pieces = Buffer.from(piece.repeat(1_000));
    let response = '';
    const send = () => {
      while (socket.writable && socket.write(pieces));
    };
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(response));
    socket.write(`${[...lines, 'Host: x'].join('\r\n')}\r\n\r\n`);
    socket.on('drain', send);
    send();
  });
}

describe('a body without an end', () => {
  const chunked = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];

  it.each<[string, string[], string, string]>([
    ['in tiny pieces', ['POST /waitlist HTTP/1.1', ...chunked], '1\r\n \r\n', '413'],
    ['in large pieces', ['POST /waitlist HTTP/1.1', ...chunked], `400\r\n${' '.repeat(1_024)}\r\n`, '413'],
    [
      'of a length that is announced',
      ['POST /waitlist HTTP/1.1', 'Content-Length: 99999999999', chunked[1] ?? ''],
      ' '.repeat(1_024),
      '413',
    ],
    ['for a webhook', ['POST /webhooks/bank HTTP/1.1', ...chunked], '1\r\n \r\n', '413'],
    ['for an address that does not exist', ['POST /nowhere HTTP/1.1', ...chunked], '1\r\n \r\n', '404'],
    ['for one that takes none', ['GET /test HTTP/1.1', ...chunked], '1\r\n \r\n', '200'],
  ])('%s ends only its own connection', async (_how, lines, piece, status) => {
    const response = await flood(lines, piece);
    // Data in the kernel's buffers is lost when the connection is reset.
    if (response !== '') expect(response.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect((await steward.call('/test')).status).toBe(200);
  });
});
