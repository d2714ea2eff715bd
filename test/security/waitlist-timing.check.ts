import { Agent, request } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { check } from './support/check.ts';

const PAIRS = 600;
const WARM_UP = 100;
/** Share of pairs (one new, one known) in which one of them is slower; 0.5 is no difference. Cohen's large effect is 0.71. */
const TELLING = 0.64;

let steward: TestSteward;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  steward = await startSteward({ LIMIT_WAITLIST_PER_MINUTE: '100000000', LIMIT_REQUESTS_PER_MINUTE: '100000000' });
});

afterAll(async () => {
  agent.destroy();
  await steward.stop();
});

/** @returns milliseconds, and the response without the request's id and the date */
function join(email: string): Promise<{ ms: number; shown: string }> {
  const body = `email=${encodeURIComponent(email)}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const sent = request(`${steward.url}/waitlist`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => {
        const { date: _, 'x-request-id': __, ...rest } = response.headers;
        resolve({ ms: performance.now() - begun, shown: JSON.stringify([response.statusCode, rest, text]) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Probability that a value of the one exceeds a value of the other (Mann and Whitney's U over n·m), by ranks only, so that
 * a pause of the machine weighs no more than any other value.
 */
function superiority(ones: number[], others: number[]): number {
  const wins = ones.reduce((sum, one) => sum + others.reduce((more, other) => more + (one > other ? 1 : one === other ? 0.5 : 0), 0), 0);
  return wins / (ones.length * others.length);
}

check('the waitlist responds to a known address as to a new one, in form and time', async () => {
  const failed: string[] = [];
  const known: number[] = [];
  const fresh: number[] = [];
  const shown = new Set<string>();
  await join('known@example.com');
  for (let pair = 0; pair < PAIRS + WARM_UP; pair += 1) {
    // Alternating, each first equally often: what slows the machine slows both.
    const order = pair % 2 === 0 ? [known, fresh] : [fresh, known];
    for (const times of order) {
      const { ms, shown: response } = await join(times === known ? 'known@example.com' : `new-${pair}@example.com`);
      shown.add(response);
      if (pair >= WARM_UP) times.push(ms);
    }
  }
  const share = superiority(fresh, known);
  if (shown.size !== 1) failed.push(`${shown.size} different answers`);
  if (share > TELLING || share < 1 - TELLING) failed.push(`a new address is slower in ${(share * 100).toFixed(1)} % of pairs`);
  return { tried: known.length + fresh.length, failed };
});
