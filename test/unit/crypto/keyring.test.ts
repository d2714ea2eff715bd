import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Polls } from '../../../src/clock/polls.ts';
import type { Config } from '../../../src/config/config.ts';
import { formatKeyset, type LocalKey, parseKeyset } from '../../../src/config/master-key-list.ts';
import { Keyring } from '../../../src/crypto/keyring.ts';
import { openKeyring } from '../../../src/crypto/keys-source.ts';
import { AppError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const context = { purpose: 'user', userId: 'u1', keyId: 'k1' };

function masterKey(id: string): LocalKey {
  return { id, secret: randomBytes(32) };
}

function line(key: LocalKey): string {
  return formatKeyset([key]).trim();
}

function recordingLogger() {
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (text: string) => void lines.push(text) });
  return { logger, lines };
}

async function failure(action: () => Promise<unknown>): Promise<AppError> {
  try {
    await action();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('succeeded although it must not');
}

describe('Keyring', () => {
  const [old, next] = [masterKey('2025'), masterKey('2026')];

  it('wraps under the first key and unwraps for the same context only', async () => {
    const keyring = new Keyring([old, next]);
    const secret = randomBytes(32);
    const { masterKeyId, wrapped } = await keyring.wrap(secret, context);
    expect(masterKeyId).toBe('2025');
    expect((await keyring.unwrap(wrapped, context)).export()).toEqual(secret);
    for (const field of ['purpose', 'userId', 'keyId'] as const) {
      expect((await failure(() => keyring.unwrap(wrapped, { ...context, [field]: 'other' }))).code).toBe('internal');
    }
  });

  it('rotates: add, promote, and the old key still opens until it is retired', async () => {
    const keyring = new Keyring([old]);
    const secret = randomBytes(32);
    const before = await keyring.wrap(secret, context);
    keyring.replace([old, next]);
    expect(keyring.primaryId).toBe('2025');
    keyring.replace([next, old]);
    expect(keyring.ids).toEqual(['2026', '2025']);
    const after = await keyring.wrap(secret, context);
    expect(after.masterKeyId).toBe('2026');
    expect((await keyring.unwrap(before.wrapped, context)).export()).toEqual(secret);
    keyring.replace([next]);
    expect((await keyring.unwrap(after.wrapped, context)).export()).toEqual(secret);
    expect((await failure(() => keyring.unwrap(before.wrapped, context))).code).toBe('internal');
  });

  it('logs an error with the id of a missing key', async () => {
    const { logger, lines } = recordingLogger();
    const { wrapped } = await new Keyring([old]).wrap(randomBytes(32), context);
    const error = await failure(() => new Keyring([next], { logger }).unwrap(wrapped, context));
    expect(error).toMatchObject({ code: 'internal', cause: { message: 'no master key 2025' } });
    expect(error.message).not.toContain('2025');
    expect(lines.map((text) => JSON.parse(text))).toMatchObject([{ level: 50, key_id: '2025' }]);
  });

  it('rejects bytes that are not a wrapped key', async () => {
    for (const bytes of [randomBytes(150), Buffer.alloc(0), Buffer.alloc(2), Buffer.from('\u0001\u0004')]) {
      expect((await failure(() => new Keyring([old]).unwrap(bytes, context))).code).toBe('internal');
    }
  });

  it('rejects an empty list and another secret under a known id, and keeps its keys', async () => {
    const keyring = new Keyring([old]);
    const { wrapped } = await keyring.wrap(randomBytes(32), context);
    expect(() => keyring.replace([])).toThrow('needs a key');
    expect(() => keyring.replace([next, masterKey('2025')])).toThrow('key 2025 has another value than before');
    expect(keyring.ids).toEqual(['2025']);
    expect((await keyring.unwrap(wrapped, context)).symmetricKeySize).toBe(32);
    expect(() => new Keyring([])).toThrow('needs a key');
  });

  it('prints no secret', () => {
    const keyring = new Keyring([old, next]);
    const printed = inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring);
    for (const { secret } of [old, next]) {
      const hex = secret.toString('hex');
      const forms = [hex, hex.replace(/..(?!$)/g, '$& '), secret.toString('base64'), secret.join(',')];
      for (const form of forms) expect(printed).not.toContain(form.slice(0, 12));
    }
  });
});

describe('a canary', () => {
  const [one, two] = [masterKey('one'), masterKey('two')];

  it('is true for the key it was sealed under, primary or not', async () => {
    const keyring = new Keyring([one, two]);
    for (const id of ['one', 'two']) expect(await keyring.checkCanary(id, await keyring.sealCanary(id))).toBe(true);
  });

  it('is false for another secret of the same id, for another id, and for an unknown one', async () => {
    const keyring = new Keyring([one, two]);
    const record = await keyring.sealCanary('one');
    expect(await new Keyring([masterKey('one')]).checkCanary('one', record)).toBe(false);
    expect(await keyring.checkCanary('two', record)).toBe(false);
    expect(await new Keyring([two]).checkCanary('one', record)).toBe(false);
    expect(await keyring.checkCanary('one', Buffer.alloc(10))).toBe(false);
  });
});

describe('parseKeyset', () => {
  const good = line(masterKey('good'));
  it.each([
    ['nothing', ' , ', 'contains no key'],
    ['the sample', 'main:REPLACE_WITH_OUTPUT_OF_openssl_rand', 'key main is the sample'],
    ['a short key', `main:${randomBytes(31).toString('base64')}`, 'key main has 31 bytes'],
    ['a key of zeros', `main:${Buffer.alloc(32).toString('base64')}`, 'key main is all zeros'],
    ['something other than base64', 'main:!!!', 'key main is not base64'],
    ['an entry without an id', randomBytes(32).toString('hex'), 'entry 1 is not of the form'],
    ['an id twice', `${good},${line(masterKey('good'))}`, 'a key id twice'],
    [
      'a KMS key named by an alias',
      'main:aws-kms:arn:aws:kms:eu-central-1:111122223333:alias/main',
      'key main is not the ARN of a KMS key',
    ],
    ['a key under two ids', `${good},${good.replace('good', 'better')}`, 'the same key under two ids'],
  ])('rejects %s', (_title, text, message) => {
    expect(() => parseKeyset(text)).toThrow(message);
  });

  it('accepts commas and new lines', () => {
    expect(parseKeyset(`${good}\n${line(masterKey('b'))}, ${line(masterKey('c'))}\n`).map((key) => key.id)).toEqual(['good', 'b', 'c']);
  });
});

describe('openKeyring', () => {
  let folder: string;
  let clock: TestClock;
  let polls: Polls;

  function opened(masterKeys: Config['masterKeys']) {
    const { logger, lines } = recordingLogger();
    const keys = openKeyring({ masterKeys, dataDir: join(folder, 'data') }, { logger });
    keys.watch(
      polls,
      async () => {},
      () => {},
    );
    return { keyring: keys.keyring, lines };
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyring-'));
    clock = new TestClock({ standsAt: 0 });
    polls = new Polls(clock, createLogger('silent'));
  });

  afterEach(async () => {
    await polls.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('of a file', () => {
    const [first, second] = [masterKey('first'), masterKey('second')];
    const path = () => join(folder, 'keys');
    const poll = () => polls.tick();

    it('reads the file again when it is replaced', async () => {
      writeFileSync(path(), line(first));
      const { keyring, lines } = opened({ kind: 'file', path: path() });
      writeFileSync(`${path()}.new`, `${line(second)}\n${line(first)}\n`);
      renameSync(`${path()}.new`, path());
      expect(keyring.ids).toEqual(['first']);
      await poll();
      expect(keyring.ids).toEqual(['second', 'first']);
      await poll();
      expect(lines).toHaveLength(1);
      expect(lines.join()).not.toContain(second.secret.toString('base64'));
    });

    it('follows a symbolic link that is pointed elsewhere', async () => {
      writeFileSync(join(folder, 'one'), line(first));
      writeFileSync(join(folder, 'two'), `${line(first)},${line(second)}`);
      symlinkSync('one', path());
      const { keyring } = opened({ kind: 'file', path: path() });
      symlinkSync('two', `${path()}.new`);
      renameSync(`${path()}.new`, path());
      await poll();
      expect(keyring.ids).toEqual(['first', 'second']);
    });

    it('keeps the keys and logs one error when the new content is bad or gone', async () => {
      writeFileSync(path(), line(first));
      const { keyring, lines } = opened({ kind: 'file', path: path() });
      const secret = randomBytes(31).toString('base64');
      for (const spoil of [
        () => writeFileSync(path(), `bad:${secret}`),
        () => writeFileSync(path(), line(masterKey('first'))),
        () => rmSync(path()),
      ]) {
        lines.length = 0;
        spoil();
        await poll();
        await poll();
        expect(keyring.ids).toEqual(['first']);
        expect(lines.map((text) => JSON.parse(text).level)).toEqual([50]);
        expect(lines.join()).not.toContain(secret);
      }
      writeFileSync(path(), `${line(first)},${line(second)}`);
      await poll();
      expect(keyring.ids).toEqual(['first', 'second']);
    });

    it('keeps the keys when stored data needs others, and retries after the database was unavailable', async () => {
      writeFileSync(path(), line(first));
      const { logger, lines } = recordingLogger();
      const keys = openKeyring({ masterKeys: { kind: 'file', path: path() }, dataDir: folder }, { logger });
      const { keyring } = keys;
      let changes = 0;
      const checks = [new AppError('unavailable', 'unavailable'), new Error('rows need the key first'), undefined];
      keys.watch(
        polls,
        async () => {
          const error = checks.shift();
          if (error !== undefined) throw error;
        },
        () => {
          changes += 1;
        },
      );
      writeFileSync(path(), line(second));
      await poll();
      await poll();
      expect(keyring.ids).toEqual(['first']);
      expect(lines).toHaveLength(2);
      await poll();
      expect(checks).toHaveLength(1);
      writeFileSync(path(), `${line(second)}\n\n${line(first)}`);
      await poll();
      expect(keyring.ids).toEqual(['second', 'first']);
      expect(changes).toBe(1);
    });

    it('is looked at every two seconds, until polls are stopped', async () => {
      writeFileSync(path(), line(first));
      const { keyring } = opened({ kind: 'file', path: path() });
      await polls.tick();
      writeFileSync(path(), `${line(first)},${line(second)}`);
      await clock.advance(1_999);
      expect(keyring.ids).toEqual(['first']);
      await clock.advance(1);
      expect(keyring.ids).toEqual(['first', 'second']);
      await polls.stop();
      expect(clock.waiting).toBe(0);
    });

    it('names its error at start', () => {
      expect(() => opened({ kind: 'file', path: path() })).toThrow("can't be read (ENOENT)");
      writeFileSync(path(), 'first:short');
      expect(() => opened({ kind: 'file', path: path() })).toThrow(/keys key first /);
    });
  });

  describe('in development', () => {
    const file = () => join(folder, 'data', 'master.key');

    it('creates a key that only the owner can read, once', async () => {
      const { keyring } = opened({ kind: 'development' });
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      const { wrapped } = await keyring.wrap(randomBytes(32), context);
      expect((await opened({ kind: 'development' }).keyring.unwrap(wrapped, context)).symmetricKeySize).toBe(32);
    });

    it('fails on a damaged file and leaves it as it is', () => {
      opened({ kind: 'development' });
      for (const content of ['', 'development:c2hvcnQ=']) {
        writeFileSync(file(), content);
        expect(() => opened({ kind: 'development' })).toThrow(/master\.key (contains no key|key development has 5 bytes)/);
        expect(readFileSync(file(), 'utf8')).toBe(content);
      }
    });

    it('fails on a file that it cannot read', () => {
      mkdirSync(file(), { recursive: true });
      expect(() => opened({ kind: 'development' })).toThrow(/master\.key can't be read \(EISDIR\)/);
    });
  });

  it('of text uses its keys and touches no file', () => {
    const { keyring } = opened({ kind: 'inline', text: line(masterKey('env')) });
    expect(keyring.primaryId).toBe('env');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});
