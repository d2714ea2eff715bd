import { expect, it } from 'vitest';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { type RawResponse, sendRaw } from '../support/servers/raw-http.ts';
import { startSteward } from '../support/steward.ts';

it('rejects requests and sockets during the start, and keeps none of them open', async () => {
  const early: RawResponse[] = [];
  const steward = await startSteward(
    {},
    {
      async loadSandbox(options) {
        early.push(await sendRaw(options.selfUrl, ['GET /test HTTP/1.1', 'Connection: close']));
        const upgrade = [
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        ];
        early.push(await sendRaw(options.selfUrl, ['GET /ws HTTP/1.1', ...upgrade]));
        return createSandbox(options);
      },
    },
  );
  try {
    for (const response of early) {
      expect(response).toMatchObject({ status: 503, body: { status: 'error', code: 'unavailable', message: 'The service is starting.' } });
      expect(response.headers.get('retry-after')).toBe('1');
    }
    expect(early).toHaveLength(2);
  } finally {
    await steward.stop();
  }
});
