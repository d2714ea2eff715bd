// Writes the list of googleapis' APIs that src/providers imports. The production image keeps only these (Dockerfile).
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGenerated } from './generated-file.ts';

const ROOT = join(import.meta.dirname, '..');
const IMPORT = /['"]googleapis\/build\/src\/apis\/([^/'"]+)/g;

const sources = globSync('src/providers/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
const apis = new Set(sources.flatMap((source) => [...source.matchAll(IMPORT)].map(([, api]) => api)));
writeGenerated(
  'scripts/googleapis-apis.json',
  `[${[...apis]
    .sort()
    .map((api) => JSON.stringify(api))
    .join(', ')}]\n`,
  'scripts/googleapis-apis.ts',
);
