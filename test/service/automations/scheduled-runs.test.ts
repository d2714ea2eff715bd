import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fails, says } from '../../support/emulators/scripted-model.ts';
import { AutomationScene, type AutomationUser } from '../../support/scenes/automation-scene.ts';
import { eventually } from '../../support/time/eventually.ts';

let scene: AutomationScene;
let user: AutomationUser;

beforeAll(async () => {
  scene = await AutomationScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.reset();
  user = await scene.user();
});

const stateOf = async (id: string) =>
  (await scene.steward.sql('select state, paused_by, failures from automations where id = $1', [id]))[0];
const eventsOf = async (id: string) =>
  (await scene.steward.sql<{ event: string }>(`select event from events where data ->> 'automation' = $1 order by seq`, [id])).map(
    ({ event }) => event,
  );

describe('a schedule', () => {
  it('runs once when its time has come, as a conversation of its own', async () => {
    const id = await scene.automation(user);
    await scene.steward.tick();
    expect(await scene.runs(user, id)).toEqual([]);
    scene.model.script(says('Nothing is planned.'));
    const run = await scene.nextRun(user, id, 'done');
    const { body } = await scene.call(user, `/threads/${run.thread}`);
    expect(body.thread.title).toBe('Brief');
    expect(body.messages.map(({ role, parts }: Record<string, any>) => [role, parts.at(-1).text])).toEqual([
      ['user', 'Brief me.'],
      ['assistant', 'Nothing is planned.'],
    ]);
    await scene.steward.tick();
    expect(await scene.runs(user, id)).toHaveLength(1);
    expect((await scene.call(user, '/threads')).body.threads).toEqual([]);
    expect(await eventsOf(id)).toEqual(['automation.changed', 'run.finished']);
  });

  it('runs once for the times at which nothing ran, and says when that is late', async () => {
    const id = await scene.automation(user);
    await scene.toDue(id);
    scene.steward.clock.setBy(3 * 24 * 3_600_000 + 13 * 3_600_000);
    const run = await scene.until(user, id, 'done');
    expect(run.late).toBe(true);
    expect(scene.model.lastMessages.at(-1)?.content).toContain('It is late');
    await scene.steward.tick();
    expect(await scene.runs(user, id)).toHaveLength(1);
  });

  it('is paused after five failures in a row, and its user is told', async () => {
    const id = await scene.automation(user);
    scene.model.always = fails(400);
    for (let failure = 0; failure < 4; failure += 1) {
      await scene.nextRun(user, id, 'failed');
    }
    scene.model.script(says('Fine.'));
    await scene.nextRun(user, id, 'done');
    expect(await stateOf(id)).toEqual({ state: 'active', paused_by: null, failures: 0 });
    for (let failure = 0; failure < 5; failure += 1) {
      await scene.nextRun(user, id, 'failed');
    }
    expect(await stateOf(id)).toEqual({ state: 'paused', paused_by: 'failures', failures: 5 });
    expect((await eventsOf(id)).at(-1)).toBe('automation.paused');
  });

  it('only tells its user, without a conversation', async () => {
    const id = await scene.automation(user, { does: { type: 'notify' } });
    expect(await scene.nextRun(user, id, 'done')).toMatchObject({ thread: null, error: null });
    expect(scene.model.requests).toEqual([]);
  });

  it('does not begin more runs within an hour than its budget has', async () => {
    const every = { type: 'schedule', every: 'hour', at: '00:00', time_zone: 'UTC' };
    const id = await scene.automation(user, { trigger: every, budget: { runs_per_day: 2 } });
    const seen: string[] = [];
    for (const expected of ['done', 'done', 'skipped']) {
      seen.push((await scene.nextRun(user, id, expected)).status);
    }
    expect(seen).toEqual(['done', 'done', 'skipped']);
    expect((await scene.runs(user, id)).at(-1)).toMatchObject({ error: 'rate_limited', thread: null });
  });

  it('counts what it has begun, and nothing that was left out', async () => {
    const every = { type: 'schedule', every: 'hour', at: '00:00', time_zone: 'UTC' };
    const id = await scene.automation(user, { trigger: every, does: { type: 'notify' }, budget: { runs_per_day: 1 } });
    await scene.nextRun(user, id, 'done');
    await scene.nextRun(user, id, 'skipped');
    // The first one is older than a day, and the one that was left out isn't.
    scene.steward.clock.setBy(23 * 3_600_000 + 10 * 60_000);
    await scene.until(user, id, 'done', 3);
  });

  it('tells of all that is due at once, however many runs there may be at a time', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 25; count += 1) ids.push(await scene.automation(user, { does: { type: 'notify' } }));
    await scene.toDue(ids[0] ?? '');
    await scene.steward.tick();
    const statuses = await Promise.all(ids.map(async (id) => (await scene.runs(user, id))[0]?.status));
    expect(statuses).toEqual(Array(25).fill('done'));
  });

  it.each([{ type: 'notify' }, { type: 'prompt', prompt: 'Brief me.' }])(
    'begins no more at once than its budget has: $type',
    async (does) => {
      const id = await scene.automation(user, { does, budget: { runs_per_hour: 1 } });
      const now = new Date(scene.steward.clock.now());
      await scene.steward.sql(
        `insert into automation_runs (user_id, id, automation_id, occurrence, is_tainted, is_financial, planned_at, late, act_at)
       select $1, gen_random_uuid(), $2, 'mail:' || n, false, false, $3, false, $3 from generate_series(1, 3) n`,
        [user.id, id, now],
      );
      const statuses = await eventually(async () => {
        // What finds no place is tried again after seconds.
        scene.steward.clock.setBy(6_000);
        await scene.steward.tick();
        const found = (await scene.runs(user, id)).map(({ status }) => status);
        return found.some((status) => status === 'due' || status === 'running') ? undefined : found.toSorted();
      });
      expect(statuses).toEqual(['done', 'skipped', 'skipped']);
    },
  );
});
