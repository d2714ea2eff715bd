import { randomBytes } from 'node:crypto';
import { createPostgresDatabase } from '../database/postgres.ts';
import { ScriptedModel } from '../emulators/scripted-model.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import { TestClock } from '../time/test-clock.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import { connect, newName } from './flows.ts';

export interface AutomationUser {
  id: string;
  name: string;
  email: string;
  /** Of the connected workspace account. */
  account: string;
}

export interface SeenRun {
  id: string;
  occurrence: string;
  status: string;
  thread: string | null;
  late: boolean;
  error: string | null;
}

/** Every day at 08:00 UTC. */
export const DAILY = { type: 'schedule', every: 'day', at: '08:00', time_zone: 'UTC' };

/** A service with a scripted model, whose automations run when a test says so. */
export class AutomationScene {
  readonly model: ScriptedModel;
  readonly steward: TestSteward;

  /** Two services on one database, with one clock; the second one has the scene's users, too. */
  static async replicated(
    env: Record<string, string> = {},
  ): Promise<{ scene: AutomationScene; other: TestSteward; stop(): Promise<void> }> {
    const database = await createPostgresDatabase();
    const clock = new TestClock();
    const shared = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`, ...env };
    const model = await ScriptedModel.start();
    const [steward, other] = [
      await startSteward({ MODELS: model.models(), ...shared }, { clock }),
      await startSteward({ MODELS: model.models(), ...shared }, { clock }),
    ];
    const scene = new AutomationScene(model, steward);
    const stop = async () => {
      await other.stop();
      await scene.stop();
      await database.drop();
    };
    return { scene, other, stop };
  }

  private constructor(model: ScriptedModel, steward: TestSteward) {
    this.model = model;
    this.steward = steward;
  }

  static async start(env: Record<string, string> = {}): Promise<AutomationScene> {
    const model = await ScriptedModel.start();
    return new AutomationScene(model, await startSteward({ MODELS: model.models(), ...env }));
  }

  async user(): Promise<AutomationUser> {
    const name = newName();
    const email = `${name}@example.com`;
    const token = await this.steward.signIn(name);
    await connect(this.steward, { token, email });
    const { body } = await this.steward.call('/auth/workspace/accounts', { token });
    const [row] = await this.steward.sql<{ id: string }>('select id from users where email = $1', [email]);
    return { id: row?.id ?? '', name, email, account: body.accounts[0].id };
  }

  /** A call of the user in person, who signs in anew: the clock may have moved on by days. */
  async call(user: AutomationUser, path: string, options: CallOptions = {}): Promise<HttpResponse> {
    return this.steward.call(path, { token: await this.steward.signIn(user.name), ...options });
  }

  /** The same with a JSON body. */
  send(user: AutomationUser, method: string, path: string, body: object = {}): Promise<HttpResponse> {
    return this.call(user, path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  }

  /** The questions that wait for the user. */
  async questions(user: AutomationUser): Promise<Record<string, any>[]> {
    return (await this.call(user, '/approvals')).body.approvals;
  }

  /** Makes an automation. @param given what isn't as by default. @returns its id */
  async automation(user: AutomationUser, given: object = {}): Promise<string> {
    const definition = { name: 'Brief', trigger: DAILY, does: { type: 'prompt', prompt: 'Brief me.' }, ...given };
    const { status, body, text } = await this.send(user, 'POST', '/automations', definition);
    if (status !== 201) throw new Error(`an automation was not made: ${text}`);
    return body.id;
  }

  /** Forgets what earlier tests have made: the clock has moved on, so that all of it is due. */
  async reset(): Promise<void> {
    this.model.reset();
    await this.steward.sql('delete from automations');
  }

  runs(user: AutomationUser, automation: string): Promise<SeenRun[]> {
    return this.steward.sql<SeenRun>(
      `select id, occurrence, status, thread_id as thread, late, error from automation_runs
       where user_id = $1 and automation_id = $2 order by planned_at, id`,
      [user.id, automation],
    );
  }

  /** The service's clock moves to when a schedule is due next. @returns its run, once it has this status */
  async nextRun(user: AutomationUser, automation: string, status: string): Promise<SeenRun> {
    const known = (await this.runs(user, automation)).length;
    await this.toDue(automation);
    return this.until(user, automation, status, known + 1);
  }

  /** Looks until there are so many runs, and the newest has this status. */
  async until(user: AutomationUser, automation: string, status: string, count = 1): Promise<SeenRun> {
    return eventually(async () => {
      await this.steward.tick();
      const runs = await this.runs(user, automation);
      const run = runs.at(-1);
      if (runs.length < count || run?.status !== status)
        throw new Error(`of ${runs.length} runs the last is ${run?.status} (${run?.error})`);
      return run;
    }, 20_000);
  }

  async toDue(automation: string): Promise<void> {
    const [row] = await this.steward.sql<{ due: Date }>('select due_at as due from automations where id = $1', [automation]);
    this.steward.clock.setBy((row?.due.getTime() ?? 0) - this.steward.clock.now() + 1_000);
  }

  async stop(): Promise<void> {
    await this.steward.stop();
    await this.model.stop();
  }
}
