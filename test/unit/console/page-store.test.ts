import { describe, expect, it } from 'vitest';
import { Store } from '../../../public/console/page/page-store.js';

/** A store whose requests are answered by hand, in any order. */
function heldStore() {
  const requests: PromiseWithResolvers<string>[] = [];
  const store = new Store(() => {
    const request = Promise.withResolvers<string>();
    requests.push(request);
    return request.promise;
  });
  return { store, answer: (index: number, value: string) => requests[index]?.resolve(value) };
}

describe('Store', () => {
  it('ends each loading with a value that is as new as the call, though a newer request makes its response stale', async () => {
    const { store, answer } = heldStore();
    const seen = store.refresh().then(() => store.value);
    const newer = store.refresh();
    answer(0, 'stale');
    await new Promise(setImmediate);
    answer(1, 'new');
    await newer;
    expect(await seen).toBe('new');
  });

  it('ends the loading when a value is set meanwhile', async () => {
    const { store, answer } = heldStore();
    const seen = store.refresh();
    store.set('changed');
    answer(0, 'stale');
    await seen;
    expect(store.value).toBe('changed');
  });
});
