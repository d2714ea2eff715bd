import { execFile } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LargeResponses } from '../../../src/concurrency/large-responses.ts';
import { offThread } from '../../../src/off-thread/off-thread.ts';
import { echo, fillBuffers, fillMemory, never, refuse, where } from '../../support/inputs/heavy-work.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

/** Coverage is measured without compiled code. */
const COMPILED = getCompileCacheDir() === undefined ? [] : ['NODE_COMPILE_CACHE'];

const SRC = join(import.meta.dirname, '../../../src');

describe('work off the main thread', () => {
  it('runs in a thread without the environment, which contains secrets, but for the folder of compiled code', async () => {
    expect(await offThread(where, null, { userId: 'a' })).toEqual({ isMainThread: false, environment: COMPILED });
  });

  it('fails as on the main thread', async () => {
    const rejected = await offThread(refuse, { choices: 'x' }, { userId: 'a' }).catch((error: unknown) => error);
    expect(rejected).toMatchObject({
      name: 'AppError',
      code: 'invalid_request',
      message: 'slides: no such slide',
      details: { choices: 'x' },
      cause: { message: 'canary' },
    });
  });

  it('that uses all memory fails alone, with a message', async () => {
    await expect(offThread(fillMemory, null, { userId: 'a' })).rejects.toMatchObject({ code: 'too_large' });
    expect(await offThread(echo, 'still here', { userId: 'a' })).toBe('still here');
  });

  it('ends with its thread when no caller waits for it', async () => {
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const giving = new AbortController();
    const work = offThread(never, begun, { userId: 'a', signal: giving.signal });
    await eventually(() => begun[0] === 1);
    giving.abort(new Error('gave up'));
    await expect(work).rejects.toThrow('gave up');
    await eventually(async () => {
      const rounds = begun[1];
      await new Promise(setImmediate);
      return begun[1] === rounds;
    });
  });

  it('runs on a thread of its own if it asks for it, with the same limits, and on its buffers', async () => {
    const own = { userId: 'a', isOwn: true };
    expect(await offThread(where, null, own)).toEqual({ isMainThread: false, environment: COMPILED });
    await expect(offThread(refuse, { choices: 'x' }, own)).rejects.toMatchObject({ code: 'invalid_request', details: { choices: 'x' } });
    const tooLarge = (cause: string) => ({ code: 'too_large', cause: { message: `off thread: ${cause}` } });
    // On a machine that does much beside, the limit of time would come first.
    const clock = new TestClock({ standsAt: 0 });
    await expect(offThread(fillMemory, null, { ...own, clock })).rejects.toMatchObject(tooLarge('Error'));
    await expect(offThread(fillBuffers, null, { ...own, clock })).rejects.toMatchObject(tooLarge('OutOfBuffers'));
  });

  it.each([false, true])('ends after ten seconds, on a thread of its own: %s', async (isOwn) => {
    const clock = new TestClock({ standsAt: 0 });
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const work = offThread(never, begun, { userId: 'a', isOwn, clock });
    await eventually(() => begun[0] === 1);
    await clock.advance(9_999);
    expect(await Promise.race([work, Promise.resolve('goes on')])).toBe('goes on');
    await clock.advance(1);
    await expect(work).rejects.toMatchObject({
      code: 'too_large',
      cause: { message: expect.stringMatching(/^off thread: (Timeout|Abort)Error$/) },
    });
  });

  it('of its own thread ends with it when no caller waits for it', async () => {
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const giving = new AbortController();
    const work = offThread(never, begun, { userId: 'a', isOwn: true, signal: giving.signal });
    await eventually(() => begun[0] === 1);
    giving.abort(new Error('gave up'));
    await expect(work).rejects.toThrow('gave up');
    await eventually(async () => {
      const rounds = begun[1];
      await new Promise(setImmediate);
      return begun[1] === rounds;
    });
  });

  it('of one user leaves a thread for other users', async () => {
    const begun = Array.from({ length: 3 }, () => new Int32Array(new SharedArrayBuffer(8)));
    const giving = new AbortController();
    const greedy = begun.map((one) => offThread(never, one, { userId: 'greedy', signal: giving.signal }));
    await eventually(() => begun[0]?.[0] === 1);
    expect(await offThread(echo, 'my turn', { userId: 'other' })).toBe('my turn');
    giving.abort(new Error('gave up'));
    await expect(Promise.all(greedy)).rejects.toThrow('gave up');
    expect(begun.map(([first]) => first)).toEqual([1, 0, 0]);
  });

  it('is rejected for a user with fifty waiting pieces', async () => {
    const giving = new AbortController();
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const running = offThread(never, begun, { userId: 'busy', signal: giving.signal });
    const waiting = Array.from({ length: 50 }, () => offThread(echo, 'x', { userId: 'busy' }));
    await eventually(() => begun[0] === 1);
    await expect(offThread(echo, 'x', { userId: 'busy' })).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    giving.abort(new Error('gave up'));
    await expect(running).rejects.toThrow('gave up');
    expect(await Promise.all(waiting)).toHaveLength(50);
  });

  it('keeps no process alive, and is not loaded before its first use', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) });
      const { offThread } = await import('${SRC}/off-thread/off-thread.ts');
      const { echo } = await import('${import.meta.dirname}/../../support/inputs/heavy-work.ts');
      const before = loaded.includes('tinypool');
      console.log(before, await offThread(echo, 'done', { userId: 'a' }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('false done');
  });
});

describe('large responses', () => {
  const signal = () => new AbortController().signal;

  it('are parsed two at a time for one user, whatever others do', async () => {
    const places = new LargeResponses();
    const [first, second] = [await places.acquire('a', signal()), await places.acquire('a', signal())];
    let third = 0;
    const waiting = places.acquire('a', signal()).then((leave) => {
      third += 1;
      return leave;
    });
    const other = await places.acquire('b', signal());
    await new Promise(setImmediate);
    expect(third).toBe(0);
    first();
    (await waiting)();
    expect(third).toBe(1);
    second();
    other();
  });

  it('leave the queue when no caller waits for them', async () => {
    const places = new LargeResponses();
    const [first, second] = [await places.acquire('a', signal()), await places.acquire('a', signal())];
    const giving = new AbortController();
    const third = places.acquire('a', giving.signal);
    const fourth = places.acquire('a', signal());
    giving.abort(new Error('gave up'));
    await expect(third).rejects.toThrow('gave up');
    first();
    (await fourth)();
    second();
    await expect(places.acquire('a', AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});
