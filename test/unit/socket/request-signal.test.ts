import { describe, expect, it } from 'vitest';
import { RequestSignal } from '../../../src/socket/requests/request-signal.ts';

describe('RequestSignal', () => {
  it('calls each listener once, like an AbortSignal with `once`', () => {
    const called: string[] = [];
    const signal = new RequestSignal();
    const removed = () => called.push('removed');
    signal.addEventListener('abort', () => called.push('first'));
    signal.addEventListener('abort', removed);
    signal.addEventListener('abort', () => called.push('second'));
    signal.removeEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    expect(signal.aborted).toBe(false);
    signal.abort();
    signal.abort();
    expect(signal.aborted).toBe(true);
    expect(called).toEqual(['first', 'second']);
  });

  it('is aborted when its listeners are called, which may remove themselves', () => {
    const signal = new RequestSignal();
    const seen: boolean[] = [];
    const listener = () => {
      seen.push(signal.aborted);
      signal.removeEventListener('abort', listener);
    };
    signal.addEventListener('abort', listener);
    signal.addEventListener('abort', () => seen.push(signal.aborted));
    signal.abort();
    expect(seen).toEqual([true, true]);
  });
});
