import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Steps } from '../../faults/support/steps.ts';
import { TapProxy } from '../../faults/support/tap-proxy.ts';
import { inheritedEnvironment } from '../../support/processes/inherited-environment.ts';
import { NEVER_SATURATED } from '../../support/steward.ts';

const SERVICE = join(import.meta.dirname, 'storm-service.ts');
const KEPT_OUTPUT = 100_000;

/** A process of the service that is killed between its statements, and started again. */
export class StormReplica {
  readonly #env: Record<string, string>;
  readonly #steps: Steps;
  readonly #proxy: TapProxy;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #output = '';
  url = '';
  kills = 0;

  private constructor(env: Record<string, string>, steps: Steps, proxy: TapProxy) {
    this.#env = env;
    this.#steps = steps;
    this.#proxy = proxy;
  }

  /** @param env DATABASE_URL is that of the Postgres */
  static async open(env: Record<string, string>): Promise<StormReplica> {
    const direct = new URL(env.DATABASE_URL ?? '');
    const steps = new Steps();
    const proxy = new TapProxy({ host: direct.hostname, port: Number(direct.port) }, steps);
    await proxy.open();
    const tapped = new URL(direct);
    tapped.hostname = '127.0.0.1';
    tapped.port = String(proxy.port);
    return new StormReplica({ ...env, DATABASE_URL: tapped.href }, steps, proxy);
  }

  get isUp(): boolean {
    return this.#child !== undefined && this.#starting === undefined;
  }

  async start(now: number): Promise<void> {
    const env = { ...inheritedEnvironment(), PORT: '0', ...NEVER_SATURATED, LIMIT_DATABASE_CONNECTIONS: '5', ...this.#env };
    const child = spawn(process.execPath, [SERVICE, String(now)], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    }
    this.#child = child;
    const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof (first as { ready?: string } | null)?.ready !== 'string') throw new Error(`a replica did not start:\n${this.#output}`);
    this.url = (first as { ready: string }).ready;
  }

  /** The process is killed at the n-th write from now that lasts, before or after it; the message that waits there is lost. */
  killAt(step: number, now: () => number): void {
    this.#steps.strikeAt(step, async () => {
      const child = this.#child;
      if (child === undefined || !this.isUp) return;
      this.kills += 1;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      this.#starting = ended
        .then(() => this.start(now()))
        .finally(() => {
          this.#starting = undefined;
        });
      // Reported by whoever waits for it.
      this.#starting.catch(() => {});
      await ended;
    });
  }

  /** No kill is planned any more. Resolves once it runs. */
  async calm(): Promise<void> {
    this.#steps.record();
    await this.#starting;
  }

  /** Its clock is moved, and it does what is due. Resolves also when it is killed meanwhile. */
  async moveTo(now: number): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isUp) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onMessage = (message: unknown) => {
      if ((message as { moved?: number }).moved === now) resolve();
    };
    const onExit = () => resolve();
    child.on('message', onMessage).once('exit', onExit);
    // A process that has just been killed has no channel.
    child.send({ now }, (error) => error !== null && resolve());
    await promise;
    child.off('message', onMessage).off('exit', onExit);
  }

  async stop(): Promise<void> {
    this.#steps.record();
    await this.#starting?.catch(() => {});
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.#proxy.close();
  }

  get output(): string {
    return this.#output;
  }
}
