import { installed, type LockedPackage, type LockFile, type Manifest, nameOf } from '../lock-file.ts';

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Problems of the lock file, one line each: an install must get the reviewed packages from the registry, and run no unlisted script. */
export function lockProblems(lock: LockFile, manifest: Manifest): string[] {
  if (lock.lockfileVersion !== 3) return [`lock file version ${lock.lockfileVersion} is not the one that is checked here`];
  const packages = installed(lock);
  return [
    ...manifestProblems(lock, manifest),
    ...packages.flatMap(([path, locked]) => sourceProblems(path, locked)),
    ...scriptProblems(packages, manifest.allowScripts ?? {}),
    ...platformProblems(packages),
  ];
}

/** Exact versions, the same ones in both files. */
function manifestProblems(lock: LockFile, manifest: Manifest): string[] {
  const root = lock.packages[''] ?? {};
  return (['dependencies', 'devDependencies'] as const).flatMap((kind) => {
    const [asked, locked] = [manifest[kind] ?? {}, root[kind] ?? {}];
    const names = [...new Set([...Object.keys(asked), ...Object.keys(locked)])];
    return names.flatMap((name) => {
      if (asked[name] !== locked[name]) return [`${name}: ${kind} say ${asked[name]}, the lock file ${locked[name]}`];
      if (!EXACT.test(asked[name] ?? '')) return [`${name}: ${asked[name]} is not an exact version`];
      const entry = lock.packages[`node_modules/${name}`];
      return entry?.version === asked[name] ? [] : [`${name}: ${asked[name]} is asked for, ${entry?.version} is locked`];
    });
  });
}

/**
 * Without an address npm gets a package from the configured registry, by name and version; with one it
 * follows the address, wherever that leads.
 */
function sourceProblems(path: string, { version, name, resolved, integrity, link, inBundle, optional }: LockedPackage): string[] {
  const problems: string[] = [];
  if (!path.startsWith('node_modules/') || link === true) problems.push('is a folder of this machine');
  if (inBundle === true) problems.push('comes inside another package, without a checksum of its own');
  if (name !== undefined && name !== nameOf(path)) problems.push(`is really ${name}`);
  if (!EXACT.test((version ?? '').replace(/\+.*$/, ''))) problems.push(`has the version ${version}`);
  if (resolved !== undefined) problems.push(`names an address (${new URL(resolved, 'file:').protocol}); .npmrc leaves the registry's out`);
  // Platform packages of other platforms than the one that wrote the file (docs/decisions/0016-packages-and-bundle.md).
  if (integrity === undefined ? optional !== true : !SHA512.test(integrity)) problems.push('has no SHA-512 checksum');
  return problems.map((problem) => `${path} ${problem}`);
}

/** A script runs at install only if its package is listed, and no package without a script is listed. */
function scriptProblems(packages: [string, LockedPackage][], allowed: Record<string, boolean>): string[] {
  const withScript = new Set(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => nameOf(path)));
  const unlisted = [...withScript].filter((name) => !Object.hasOwn(allowed, name));
  const needless = Object.keys(allowed).filter((name) => !withScript.has(name));
  return [
    ...unlisted.map((name) => `${name} has an install script: name it in allowScripts of package.json, with true or false`),
    ...needless.map((name) => `${name} is in allowScripts, but has no install script`),
  ];
}

/** npm writes only its own platform's packages in some cases; npm ci elsewhere would then lack a binary. */
function platformProblems(packages: [string, LockedPackage][]): string[] {
  const names = new Set(packages.map(([path]) => nameOf(path)));
  return packages.flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {})
      .filter((name) => !names.has(name))
      .map((name) => `${path} may come with ${name}, which is not locked`),
  );
}
