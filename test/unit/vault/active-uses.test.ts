import { expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { ActiveUses, NOWHERE, type Use } from '../../../src/vault/active-uses.ts';

const uses = () => new ActiveUses({} as Database, createLogger('silent'));

function use(grantId: string, stopped: string[]): Use {
  return { userId: 'user', grantId, action: grantId, startedAt: 0, place: NOWHERE, stop: () => stopped.push(grantId) };
}

const NAMES = ['a', 'b', 'c', 'd'];
const PAIRS = NAMES.flatMap((one) => NAMES.filter((other) => other !== one).map((other) => [one, other] as const));

it.each(PAIRS)('stops the uses whose grants end, except those that have ended: first %s, then %s', (...ended) => {
  const stopped: string[] = [];
  const active = uses();
  const all = NAMES.map((name) => use(name, stopped));
  for (const one of all) active.begin(one);
  for (const name of ended) {
    const gone = all.find(({ grantId }) => grantId === name) as Use;
    active.end(gone);
    active.end(gone);
  }
  for (const name of NAMES) active.endGrant(name);
  expect(stopped).toEqual(NAMES.filter((name) => !ended.includes(name)));
});

it('may end a use while it stops the uses of a grant', () => {
  const stopped: string[] = [];
  const active = uses();
  const all = Array.from({ length: 5 }, () => use('a', stopped));
  for (const one of all) {
    one.stop = () => {
      stopped.push('a');
      active.end(one);
    };
    active.begin(one);
  }
  active.endGrant('a');
  expect(stopped).toHaveLength(5);
  active.begin(use('a', stopped));
  expect(stopped).toHaveLength(6);
});
