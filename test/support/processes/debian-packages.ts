import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the programs that tests run, as patterns, by Debian package. */
export const PACKAGES = {
  postgresql: 'usr/lib/postgresql/*/bin/initdb',
  pgbouncer: 'usr/sbin/pgbouncer',
  libfaketime: 'usr/lib/*/faketime/libfaketimeMT.so.1',
  'firefox-esr': 'usr/bin/firefox-esr',
  datefudge: 'usr/lib/*/datefudge/datefudge.so',
  haproxy: 'usr/sbin/haproxy',
  patroni: 'usr/bin/patroni',
  'etcd-server': 'usr/bin/etcd',
  nginx: 'usr/sbin/nginx',
  python3: 'usr/bin/python3',
  curl: 'usr/bin/curl',
  sqlmap: 'usr/bin/sqlmap',
  wapiti: 'usr/bin/wapiti',
} as const;

export type Package = keyof typeof PACKAGES;

/** Which of these packages are not installed. */
export function missingPackages(names: readonly Package[], root = '/'): Package[] {
  return names.filter((name) => globSync(PACKAGES[name], { cwd: root }).length === 0);
}

/** The command that installs them, for messages. */
export function installation(missing: readonly Package[]): string {
  return `Debian’s packages are missing: apt-get install ${missing.join(' ')}`;
}

/** The only file of a package. @throws Error that names the package where it isn't installed */
export function programOf(name: Package, root = '/'): string {
  const [found] = globSync(PACKAGES[name], { cwd: root });
  if (found === undefined) throw new Error(installation([name]));
  return join(root, found);
}
