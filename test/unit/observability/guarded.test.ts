import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { guarded } from '../../../src/observability/guarded.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { eventually } from '../../support/time/eventually.ts';

const lines: string[] = [];
const logger = createLogger('error', { write: (line: string) => void lines.push(line) });

describe('a guarded listener', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('of the test');
      },
    ],
    ['is rejected', async () => Promise.reject(new TypeError('of the test'))],
  ])('that %s is logged once, and its connection is closed; the emitter and its other listeners continue', async (_how, handle) => {
    lines.length = 0;
    const emitter = new EventEmitter();
    const givenUp: unknown[] = [];
    const heard: unknown[] = [];
    const giveUp = function (this: unknown, ...given: unknown[]) {
      givenUp.push(this === emitter, ...given);
    };
    emitter.on('event', guarded(logger, 'an event', handle, giveUp));
    emitter.on('event', (value) => heard.push(value));
    expect(emitter.emit('event', 'a value')).toBe(true);
    await eventually(() => lines.length > 0);
    expect(givenUp).toEqual([true, 'a value']);
    expect(heard).toEqual(['a value']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'an event failed', err: { message: 'of the test' } }]);
  });
});
