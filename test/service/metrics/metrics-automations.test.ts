import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { says } from '../../support/emulators/scripted-model.ts';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { AutomationScene } from '../../support/scenes/automation-scene.ts';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const MINUTE = 60_000;

describe('automations and notifications', () => {
  let steward: TestSteward;
  let scrape: Scrape;
  /** By the service's clock, which is not the machine's. */
  const at = (minutes: number) => new Date(steward.clock.now() + minutes * MINUTE);

  beforeAll(async () => {
    // So slowly that no poll takes the rows that the test makes; those of the start have ended.
    const clock = new TestClock({ pace: 0.05 });
    clock.setBy(3 * 24 * 60 * MINUTE);
    steward = await startSteward({ METRICS_PORT: '0' }, { clock });
    await connect(steward);
    await steward.tick();
    await insertAutomations();
    await insertWatches();
    await insertChannels();
    scrape = await Scrape.of(metricsUrl(steward));
  });

  afterAll(() => steward.stop());

  async function insertAutomations(): Promise<void> {
    const columns = '(id, user_id, state, paused_by, kind, named_accounts, definition, due_at, planning_until)';
    const insert = async (pausedBy: string | null, dueAt: Date | null): Promise<string> => {
      const [row] = await steward.sql<{ id: string }>(
        `insert into automations ${columns} select gen_random_uuid(), id, $1, $2, 'schedule', '{}', '', $3, $4 from users returning id`,
        [pausedBy === null ? 'active' : 'paused', pausedBy, dueAt, at(60)],
      );
      return row?.id ?? '';
    };
    const id = await insert(null, at(5));
    for (const reason of ['failures', 'failures', 'account', 'user']) await insert(reason, null);
    for (const [status, actAt, endedAt] of [
      ['due', at(-20), null],
      ['waiting', null, null],
      ['waiting', at(-1), null],
      ['running', null, null],
      ['done', null, at(-1)],
    ] as const) {
      await steward.sql(
        `insert into automation_runs (id, user_id, automation_id, occurrence, status, planned_at, act_at, ended_at)
         select gen_random_uuid(), id, $1, gen_random_uuid(), $2, $3, $4, $5 from users`,
        [id, status, at(-20), actAt, endedAt],
      );
    }
  }

  async function insertWatches(): Promise<void> {
    for (const [kind, lookedAt, error] of [
      ['mail', at(-1), null],
      ['mail', at(-12), null],
      ['mail', at(-500), 'provider_timeout'],
      ['mail', at(-500), 'provider_timeout'],
      ['drive', null, 'reauth_required'],
      ['bank', null, null],
    ] as const) {
      await steward.sql(
        `insert into watches (user_id, account_id, grant_id, kind, look_after, looked_at, failures, error)
         select user_id, gen_random_uuid(), id, $1, $2, $3, $4, $5 from grants`,
        [kind, at(-7), lookedAt, error === null ? 0 : 3, error],
      );
    }
  }

  async function insertChannels(): Promise<void> {
    for (const [type, dueAt, heldUntil] of [
      ['mail', at(-9), null],
      ['mail', at(-30), at(10)],
      ['push', at(-30), at(-2)],
      ['webhook', null, null],
    ] as const) {
      await steward.sql(
        `insert into notification_channels (id, user_id, type, destination, kinds, summaries, confirmed_at, due_at, held_until)
         select gen_random_uuid(), id, $1, '', '{}', false, now(), $2, $3 from users`,
        [type, dueAt, heldUntil],
      );
    }
  }

  const minutes = (name: string) => Math.floor((scrape.value(name) ?? Number.NaN) / 60);

  it('show how long ago the account was read that has waited longest, by the service’s clock; not of those that can’t be read', () => {
    expect(minutes('steward_automation_look_age_seconds{kind="mail"}')).toBe(12);
    expect(minutes('steward_automation_look_age_seconds{kind="bank"}')).toBe(7);
    expect(scrape.value('steward_automation_look_age_seconds{kind="drive"}')).toBeUndefined();
  });

  it('show how many accounts can’t be read, and why', () => {
    expect(scrape.value('steward_automation_looks_failing{kind="mail",error="provider_timeout"}')).toBe(2);
    expect(scrape.value('steward_automation_looks_failing{kind="drive",error="reauth_required"}')).toBe(1);
    expect(scrape.value('steward_automation_looks_failing{kind="bank",error="internal"}')).toBeUndefined();
  });

  it('show the runs that have not ended, and how long one has waited for a replica', () => {
    const runs = ['due', 'running', 'waiting', 'done'].map((status) => scrape.value(`steward_automation_runs{status="${status}"}`));
    expect(runs).toEqual([1, 1, 2, undefined]);
    expect(minutes('steward_automation_runs_overdue_seconds')).toBe(20);
  });

  it('show the automations that their users did not pause', () => {
    const paused = ['failures', 'account', 'user'].map((reason) => scrape.value(`steward_automations_paused{reason="${reason}"}`));
    expect(paused).toEqual([2, 1, undefined]);
  });

  it('show the channels with something to tell, and how long one has waited; not one that failed and is left alone', () => {
    const waiting = ['mail', 'push', 'webhook'].map((type) => scrape.value(`steward_notification_channels_waiting{type="${type}"}`));
    expect(waiting).toEqual([2, 1, undefined]);
    expect(minutes('steward_notification_overdue_seconds{type="mail"}')).toBe(9);
    expect(minutes('steward_notification_overdue_seconds{type="push"}')).toBe(2);
  });
});

describe('the start of a run', () => {
  let scene: AutomationScene;

  beforeAll(async () => {
    scene = await AutomationScene.start({ METRICS_PORT: '0' });
  });
  afterAll(() => scene.stop());

  const began = async (cause: string, le: string) =>
    (await Scrape.of(metricsUrl(scene.steward))).value(`steward_automation_run_delay_seconds_bucket{le="${le}",cause="${cause}"}`);

  it('is measured from its planned time, by the service’s clock', async () => {
    const user = await scene.user();
    const id = await scene.automation(user, { does: { type: 'notify' } });
    const before = await Scrape.of(metricsUrl(scene.steward));
    expect([await began('schedule', '+Inf'), before.value('steward_automation_runs_overdue_seconds')]).toEqual([0, 0]);
    await scene.toDue(id);
    scene.steward.clock.setBy(10 * MINUTE);
    await scene.until(user, id, 'done');
    expect([await began('schedule', '300'), await began('schedule', '3600')]).toEqual([0, 1]);
  });

  it('is told apart by what started it', async () => {
    const user = await scene.user();
    scene.model.script(says('Done.'));
    const id = await scene.automation(user);
    await scene.send(user, 'POST', `/automations/${id}/run`);
    await scene.until(user, id, 'done');
    expect([await began('user', '+Inf'), await began('schedule', '+Inf')]).toEqual([1, 1]);
  });
});
