// Writes the bundle that the production image starts: the modules of src/ in few files, together with the packages that
// every start loads. See docs/decisions/0016-packages-and-bundle.md.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src/');
/** Folder of the bundle, from the repository's root. */
export const BUNDLE = 'dist';

/** Loaded by every start, with what they depend on. All other packages are loaded from node_modules, at their first use. */
const BUNDLED = new Set([
  'cookie',
  'cors',
  'express',
  'helmet',
  'ipaddr.js',
  'js-yaml',
  'lru-cache',
  'p-limit',
  'pg',
  'pg-boss',
  'pino',
  'ws',
  'zod',
]);
/** What those load if it is installed, which it is not. */
const ABSENT = ['bufferutil', 'pg-native', 'supports-color', 'utf-8-validate'];
/** As main.ts imports it. */
const SANDBOX = '../sandbox/sandbox.ts';
/** Imported by main.ts, which starts the service when it is loaded and so is no part of them. */
const OF_A_START = /\/src\/(server|config\/load-config|observability\/development-log|startup\/(announce|startup-error))\.ts$/;

/** Writes the bundle. */
export async function writeBundle(): Promise<void> {
  const build = await rolldown({
    input: { start: join(SOURCE, 'start.js'), 'warm-module-cache': join(SOURCE, 'startup/warm-module-cache.js') },
    platform: 'node',
    external: ABSENT,
    plugins: [packages, parsedJson, ownPlaces],
  });
  await build.write({
    dir: join(ROOT, BUNDLE),
    cleanDir: true,
    chunkFileNames: '[name].js',
    // A file with one other letter takes two bytes of memory for each letter.
    charset: 'ascii',
    // One that names its file stays above each module.
    comments: false,
    minify: false,
    // Of those that are renamed because another module has the same name.
    keepNames: true,
    codeSplitting: { groups: [{ name: 'service', test: OF_A_START }] },
  });
  await build.close();
}

const packages: Plugin = {
  name: 'packages',
  resolveId(source, importer) {
    if (importer === undefined || importer.includes('/node_modules/') || source.startsWith('/')) return null;
    // No part of the image.
    const isAbsent = source === SANDBOX && !existsSync(join(dirname(importer), source));
    if (source.startsWith('.')) return isAbsent ? { id: source, external: true } : null;
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(source) ?? [source];
    return BUNDLED.has(name) ? null : { id: source, external: true };
  },
};

/** Parsed as JSON, which takes less time than as JavaScript. */
const parsedJson: Plugin = {
  name: 'parsed-json',
  load(id) {
    if (!id.endsWith('.json')) return null;
    const text = JSON.stringify(JSON.parse(readFileSync(id, 'utf8')));
    return { code: `module.exports = JSON.parse(${JSON.stringify(text)});`, moduleType: 'js' };
  },
};

/** Modules keep the address and the folder that they have in src/: worker threads load them from there. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta')) return null;
    const place = relative(join(ROOT, BUNDLE), id);
    return code.replaceAll(/import\.meta(?:\.(\w+))?/g, (used, property) => {
      if (property === 'url') return `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      if (property === 'dirname') return `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`;
      throw new Error(`${relative(ROOT, id)}: ${used} has no meaning in the bundle`);
    });
  },
};

if (import.meta.main) await writeBundle();
