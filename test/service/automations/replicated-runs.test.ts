import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AutomationScene, type AutomationUser } from '../../support/scenes/automation-scene.ts';
import type { TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let scene: AutomationScene;
let other: TestSteward;
let stop: () => Promise<void>;
let user: AutomationUser;

beforeAll(async () => {
  ({ scene, other, stop } = await AutomationScene.replicated({ LIMIT_AUTOMATION_RUNS: '3' }));
});
afterAll(() => stop());
beforeEach(async () => {
  await scene.reset();
  user = await scene.user();
});

const counts = () =>
  scene.steward.sql<{ status: string; count: number }>(
    'select status, count(*)::int as count from automation_runs group by status order by 1',
  );
const both = () => Promise.all([scene.steward.tick(), other.tick()]);

describe('schedules that are due at once, at two replicas', () => {
  it('run once each', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 30; made += 1) ids.push(await scene.automation(user, { does: { type: 'notify' } }));
    await scene.toDue(ids[0] ?? '');
    await eventually(async () => {
      await both();
      return (await counts()).every(({ status }) => status === 'done');
    });
    expect(await counts()).toEqual([{ status: 'done', count: 30 }]);
    await both();
    expect(await counts()).toEqual([{ status: 'done', count: 30 }]);
  });

  it('are each asked of the model once, a bounded number at a time', async () => {
    const users = await Promise.all([user, scene.user(), scene.user(), scene.user()].map(async (one) => one));
    const ids: string[] = [];
    for (const one of users) for (let made = 0; made < 3; made += 1) ids.push(await scene.automation(one));
    await scene.toDue(ids[0] ?? '');
    await eventually(async () => {
      await both();
      // Runs of one user wait for each other, and are looked at again after some seconds of the service's clock.
      scene.steward.clock.setBy(15_000);
      return (await counts()).every(({ status }) => status === 'done');
    });
    expect(await counts()).toEqual([{ status: 'done', count: 12 }]);
    expect(scene.model.requests).toHaveLength(12);
  });

  it('go on at the other replica when one has claimed a run and is gone', async () => {
    const id = await scene.automation(user);
    await scene.toDue(id);
    await scene.steward.sql(`update automations set planning_until = to_timestamp($1 / 1000.0)`, [scene.steward.clock.now() + 60_000]);
    await both();
    expect(await scene.runs(user, id)).toEqual([]);
    scene.steward.clock.setBy(61_000);
    await other.tick();
    await eventually(async () => (await scene.runs(user, id))[0]?.status === 'done');
    await scene.steward.sql(
      `update automation_runs set status = 'due', thread_id = null, started_at = null, attempts = 1, act_at = to_timestamp($1 / 1000.0)`,
      [scene.steward.clock.now() + 60_000],
    );
    await both();
    expect((await scene.runs(user, id))[0]?.status).toBe('due');
  });
});
