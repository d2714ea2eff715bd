import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Values that must not be found anywhere, under names that show which one leaked. */
export class Secrets {
  readonly #values = new Map<string, string>();

  /** Creates one, or registers a given one. */
  hide(name: string, value = `canary-${name.replaceAll(' ', '-')}-${randomBytes(9).toString('hex')}`): string {
    if (value === '') throw new Error(`${name} is empty: nothing could be found`);
    let unique = name;
    for (let count = 2; this.#values.has(unique) && this.#values.get(unique) !== value; count += 1) unique = `${name} ${count}`;
    this.#values.set(unique, value);
    return value;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Names of those that it contains: unchanged, percent-encoded, in base64 or in hex. */
  foundIn(where: string, content: Buffer | string, except: readonly string[] = []): string[] {
    const text = typeof content === 'string' ? content : content.toString('latin1');
    const hidden = [...this.#values].filter(([name]) => !except.some((prefix) => name.startsWith(prefix)));
    return hidden.filter(([, value]) => codings(value).some((coded) => text.includes(coded))).map(([name]) => `${name} in ${where}`);
  }

  /** The same in every file below a folder. */
  foundInFiles(folder: string, except: readonly string[] = []): string[] {
    const files = globSync('**/*', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
    return files.flatMap((name) => this.foundIn(name, readFileSync(join(folder, name)), except));
  }
}

function codings(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  // The last characters depend on what follows.
  const whole = base64.slice(0, base64.length - 2);
  return [value, encodeURIComponent(value), bytes.toString('hex'), whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
}
