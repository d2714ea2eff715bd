import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { variables } from '../../src/config/environment.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The only variable that compose.yaml itself reads. */
const PORT = '$' + '{PORT:-8080}';
const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');

const service = z.object({
  build: z.union([z.object({ target: z.string() }), z.string().transform(() => undefined)]).optional(),
  image: z.string().optional(),
  command: z.array(z.string()).optional(),
  stop_grace_period: z.string().default('10s'),
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  profiles: z.array(z.string()).default([]),
  networks: z.unknown().optional(),
});
const compose = z
  .object({ services: z.record(z.string(), service) })
  .parse(load(text('compose.yaml'), { schema: CORE_SCHEMA.withTags(mergeTag) }));

/** The instructions of one stage, one per line. */
function stage(name: string): string[] {
  const joined = text('Dockerfile').replace(/\\\n\s*/g, '');
  const [, body = ''] = joined.split(new RegExp(`^FROM \\S+ AS ${name}$`, 'm'));
  return (
    body
      .split(/^FROM /m)[0]
      ?.split('\n')
      .filter((line) => /^[A-Z]+ /.test(line)) ?? []
  );
}

describe('compose.yaml', () => {
  it('publishes ports on loopback only, except those of the TLS proxy', () => {
    const services = Object.values(compose.services);
    const ports = services.filter(({ image }) => !image?.startsWith('haproxy:')).flatMap((one) => one.ports);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+|\$\{PORT:-8080\}):8080$/);
    for (const name of ['tls', 'balancer']) expect(compose.services[name]?.ports).toEqual(['80:8080', '443:8443']);
  });

  it('allows a stop more than its maximum time', () => {
    const ours = Object.entries(compose.services).filter(([, one]) => one.build?.target === 'production');
    expect(ours.map(([name]) => name)).toEqual(['production', 'replica-1', 'replica-2', 'replica-3']);
    for (const [, one] of ours)
      expect(Number.parseInt(one.stop_grace_period, 10) * 1_000).toBeGreaterThan(variables.parse({}).LIMIT_STOP_MS);
  });

  it('sets every address that the proxy’s configuration reads', () => {
    const files = { tls: ['haproxy', 'single'], balancer: ['haproxy', 'replicas'], 'database-balancer': ['postgres'] };
    for (const [name, parts] of Object.entries(files)) {
      const configuration = parts.map((part) => text(`deploy/haproxy/${part}.cfg`)).join('');
      const read = new Set([...configuration.matchAll(/"\$\{(\w+)\}"/g)].map(([, variable]) => variable));
      expect(new Set(Object.keys(compose.services[name]?.environment ?? {}))).toEqual(read);
      for (const part of parts) expect(compose.services[name]?.command).toContain(`/usr/local/etc/haproxy/${part}.cfg`);
    }
  });

  it('runs three nodes of the database and three of etcd, which know each other, beside the same replicas', () => {
    const names = Object.entries(compose.services).filter(([, one]) => one.profiles.includes('ha'));
    const numbered = (name: string) => [1, 2, 3].map((number) => `${name}-${number}`);
    const own = ['database-balancer', ...numbered('node'), ...numbered('etcd')];
    expect(new Set(names.map(([name]) => name))).toEqual(new Set(['balancer', 'pgbouncer', ...numbered('replica'), ...own]));
    for (const name of own) expect(compose.services[name]?.ports).toEqual([]);
    for (const name of numbered('node')) {
      const environment = compose.services[name]?.environment;
      expect(environment).toMatchObject({
        PATRONI_NAME: name,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
        PATRONI_ETCD_HOSTS: numbered('etcd')
          .map((etcd) => `${etcd}:2379`)
          .join(),
      });
    }
    for (const name of numbered('etcd')) {
      expect(compose.services[name]?.environment).toMatchObject({
        ETCD_NAME: name,
        ETCD_ENABLE_V2: 'true',
        ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${name}:2380`,
        ETCD_ADVERTISE_CLIENT_URLS: `http://${name}:2379`,
        ETCD_INITIAL_CLUSTER: numbered('etcd')
          .map((etcd) => `${etcd}=http://${etcd}:2380`)
          .join(),
      });
    }
    // PgBouncer's configuration names the database of either profile.
    expect(text('deploy/pgbouncer/pgbouncer.ini')).toContain('host=database port=5432');
    expect(compose.services['database-balancer']?.networks).toEqual({ default: { aliases: ['database'] } });
    // Never PATRONI_ETCD3_HOSTS: see patroni.yml.
    expect(text('compose.yaml')).not.toContain('PATRONI_ETCD3');
    // As required by Patroni: otherwise a primary could lose its lock before it is demoted.
    const { dcs } = z
      .object({ bootstrap: z.object({ dcs: z.record(z.string(), z.unknown()) }) })
      .parse(load(text('deploy/patroni/patroni.yml'))).bootstrap;
    expect(dcs.ttl).toBeGreaterThanOrEqual(Number(dcs.loop_wait) + 2 * Number(dcs.retry_timeout));
    expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
  });

  it('requires no variable, so that Steward itself can name the missing ones', () => {
    const variables = text('compose.yaml').match(/\$\{?\w[^}]*\}?/g);
    expect(new Set(variables)).toEqual(new Set([PORT]));
  });

  it('publishes development on PORT, under the address that browsers then use', () => {
    const { ports, environment } = compose.services.steward ?? { ports: [], environment: {} };
    expect(ports).toEqual([`127.0.0.1:${PORT}:8080`]);
    expect(environment).toMatchObject({ PORT: '8080', PUBLIC_URL: `http://127.0.0.1:${PORT}` });
  });

  it('starts development and its database, and production only when asked for', () => {
    const unasked = Object.entries(compose.services).filter(([, one]) => one.profiles.length === 0);
    expect(unasked.map(([name]) => name)).toEqual(['steward', 'postgres']);
    expect(compose.services.steward?.build?.target).toBe('development');
    expect(compose.services.production?.build?.target).toBe('production');
  });

  it('a variable of .env does not turn one service into the other', () => {
    expect(compose.services.steward?.environment.NODE_ENV).toBe('development');
    expect(compose.services.production?.environment.NODE_ENV).toBe('production');
  });
});

describe('Dockerfile', () => {
  it.each(['development', 'production'])('%s runs as a user without privileges', (name) => {
    expect(stage(name).filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
  });

  it('is based on the Node that the lock file pins', () => {
    const { packages } = JSON.parse(text('package-lock.json')) as { packages: Record<string, { version?: string } | undefined> };
    const base = /^FROM (\S+) AS base$/m.exec(text('Dockerfile'))?.[1];
    expect(base).toBe(`node:${packages['node_modules/node']?.version}-slim`);
  });

  it('keeps secrets and data out of the build', () => {
    const ignored = text('.dockerignore').split('\n');
    for (const entry of ['.env', '.env.*', '.data', '.git', 'node_modules']) expect(ignored).toContain(entry);
  });
});

describe('the production image', () => {
  const image = mkdtempSync(join(tmpdir(), 'steward-image-'));
  beforeAll(() => assemble(image));
  afterAll(() => rmSync(image, { recursive: true, force: true }));

  it('contains neither the sandbox nor tests, benchmarks and scripts', () => {
    expect(globSync('{sandbox,test,bench,scripts,.env*}', { cwd: image })).toEqual([]);
  });

  it('contains every module that a start loads, compiled in advance', () => {
    const [, ...words] = stage('production').at(-1)?.split(' ').slice(1) ?? [];
    expect(words.at(-1)).toBe('dist/warm-module-cache.js');
    const warmed = spawnSync(process.execPath, words, { cwd: image, env: {}, encoding: 'utf8' });
    expect(warmed).toMatchObject({ status: 0, stderr: '' });
    // It ends for want of settings, after everything was loaded.
    const { stderr } = start(image, { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    const looks = [...stderr.matchAll(/V8 code cache for \w+ (\S+) was (accepted|rejected)/g)];
    expect(looks.map(([, module, outcome]) => [basename(module ?? ''), outcome])).toContainEqual(['service.js', 'accepted']);
    expect(looks.filter(([, , outcome]) => outcome === 'rejected')).toEqual([]);
  });

  it('contains every package that the files of its bundle import', () => {
    const files = globSync('dist/*.js', { cwd: image }).filter((file) => !/^dist\/(start|main)\.js$/.test(file));
    const load = `for (const file of ${JSON.stringify(files)}) await import('./' + file);`;
    const loaded = spawnSync(process.execPath, ['--input-type=module', '-e', load], { cwd: image, env: {}, encoding: 'utf8' });
    expect(loaded).toMatchObject({ status: 0, stderr: '' });
  });

  it('has no sandbox in its bundle', () => {
    const files = globSync('dist/*.js', { cwd: image }).map((file) => readFileSync(join(image, file), 'utf8'));
    expect(files.filter((code) => code.includes('// sandbox/'))).toEqual([]);
  });

  it('keeps neither type declarations nor source maps of its dependencies', () => {
    expect(stage('dependencies').at(-1)).toBe('RUN node scripts/prune-production.mjs');
    const folder = mkdtempSync(join(tmpdir(), 'steward-prune-'));
    try {
      // A copy of one: the prune must never touch the installation that the tests use.
      cpSync(join(ROOT, 'node_modules/pino'), join(folder, 'node_modules/pino'), { recursive: true });
      const pruned = spawnSync(process.execPath, [join(ROOT, 'scripts/prune-production.mjs')], { cwd: folder, encoding: 'utf8' });
      expect(pruned).toMatchObject({ status: 0, stderr: '' });
      expect(globSync('**/*.{d.ts,map}', { cwd: folder })).toEqual([]);
      expect(globSync('**/*.js', { cwd: folder })).not.toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names all missing settings in one message', () => {
    const { status, stderr } = start(image);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Steward can't start with this configuration:/);
    for (const name of ['PUBLIC_URL', 'SITE_URL', 'DATABASE_URL', 'MASTER_KEYS', 'FIREBASE_PROJECT_ID']) {
      expect(stderr).toContain(`- ${name}: is missing`);
    }
  });
});

/** Runs the command of the production image, without settings. */
function start(image: string, env: Record<string, string> = {}) {
  const command = stage('production').find((line) => line.startsWith('CMD '));
  const [, ...words] = JSON.parse(command?.slice('CMD '.length) ?? '[]') as string[];
  return spawnSync(process.execPath, words, { cwd: image, env: { NODE_ENV: 'production', HOST: '0.0.0.0', ...env }, encoding: 'utf8' });
}

/** Repeats the `source` and `dependencies` stages, with links to the production dependencies, and adds the bundle. */
function assemble(image: string): void {
  copyFiles('source', image);
  addBundle(image);
  const lock = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
  };
  for (const [path, { dev, devOptional, optional }] of Object.entries(lock.packages)) {
    // Nested packages are resolved from their package's real path.
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || devOptional || optional) continue;
    mkdirSync(dirname(join(image, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(image, path));
  }
}

/** Repeats the `bundle` stage in a folder of its own. */
function addBundle(image: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bundle-'));
  try {
    copyFiles('bundle', folder);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    expect(stage('bundle').at(-1)).toBe('RUN node scripts/bundle.ts');
    const written = spawnSync(process.execPath, ['scripts/bundle.ts'], { cwd: folder, encoding: 'utf8' });
    expect(written).toMatchObject({ status: 0, stderr: '' });
    expect(stage('production')).toContain('COPY --from=bundle /app/dist ./dist');
    cpSync(join(folder, 'dist'), join(image, 'dist'), { recursive: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copyFiles(name: string, folder: string): void {
  for (const line of stage(name).filter((instruction) => instruction.startsWith('COPY '))) {
    const [, ...words] = line.split(' ');
    const target = words.pop() ?? '';
    // A folder's contents are copied, and a file is copied into a folder.
    for (const from of words)
      cpSync(join(ROOT, from), join(folder, target.endsWith('/') ? join(target, basename(from)) : target), { recursive: true });
  }
}
