import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** The initial data in a YAML file. @param base `import.meta.url` of the module beside it */
export function readSeed<Seed>(name: string, base: string): Seed {
  return load(readFileSync(new URL(name, base), 'utf8')) as Seed;
}
