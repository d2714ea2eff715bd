import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json, version 3 (npm, "package-lock.json", `packages`). */
export interface LockedPackage {
  version?: string;
  name?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  inBundle?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  lockfileVersion: number;
  /** Path below the project → entry; '' is the project itself. */
  packages: Record<string, LockedPackage>;
}

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
}

/** A JSON file of the repository. */
export function readJson<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8')) as Shape;
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** All installed packages, without the project itself. */
export function installed(lock: LockFile): [path: string, LockedPackage][] {
  return Object.entries(lock.packages).filter(([path]) => path !== '');
}
