import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { Polls } from '../../../src/clock/polls.ts';
import type { Database } from '../../../src/database/database.ts';
import { ReplicatedReload } from '../../../src/integrations/reload/replicated-reload.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { eventually } from '../../support/time/eventually.ts';

const logger = createLogger('silent');
let reloads: ReplicatedReload;
let polls: Polls;
afterEach(() => polls.stop());

/** A replica that has read its file as `read`; it is `now` since. */
function startReplica(announced: string, read: string, now: string) {
  const service = {
    current: { revision: read },
    runs: 0,
    async reload() {
      this.runs += 1;
      this.current = { revision: now };
    },
  };
  const notified: string[] = [];
  const db = { query: async () => [{ generation: '7', revision: announced }] } as unknown as Database;
  polls = new Polls(systemClock, logger);
  reloads = new ReplicatedReload(db, service, async () => void notified.push(service.current.revision), polls, logger);
  reloads.start();
  return { service, notified };
}

describe('a replica that starts', () => {
  it('reads its file again if another revision was announced meanwhile', async () => {
    const { service, notified } = startReplica('new', 'old', 'new');
    await eventually(() => notified.length > 0);
    expect(notified).toEqual(['new']);
    expect(service.current.revision).toBe('new');
    expect(reloads.isDiverged).toBe(false);
  });

  it('keeps a file that is newer than what was announced', async () => {
    const { notified } = startReplica('old', 'newer', 'newer');
    await eventually(() => notified.length > 0);
    expect(notified).toEqual(['newer']);
    expect(reloads.isDiverged).toBe(false);
  });

  it('reads its file once if nothing else was announced', async () => {
    const { service, notified } = startReplica('same', 'same', 'other');
    await eventually(() => notified.length > 0);
    expect(service.runs).toBe(0);
  });
});
