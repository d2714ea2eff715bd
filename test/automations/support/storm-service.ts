// A process of the service whose clock and polls another process moves, by messages. Its first argument is the time.
import { createSandbox } from '../../../sandbox/sandbox.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { startServer } from '../../../src/server.ts';
import { StormClock } from './storm-clock.ts';

const clock = new StormClock(Number(process.argv[2]));
const steward = await startServer(loadConfig(), { clock, loadSandbox: createSandbox, logger: createLogger('warn') });
const { automations } = steward.context;

process.on('message', ({ now }: { now: number }) => void moveTo(now));
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: steward.url });

/** What is due by then is done before it is answered: looks, and what they have started. */
async function moveTo(now: number): Promise<void> {
  clock.moveTo(now);
  await automations.poll.tick();
  await automations.looked();
  await automations.poll.tick();
  process.send?.({ moved: now });
}
