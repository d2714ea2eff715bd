// Removes from node_modules what production does not load: the APIs of googleapis that are not in
// googleapis-apis.json (of 242 MB), type declarations and source maps. Run by the Dockerfile, in the folder of package.json.
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const APIS = 'node_modules/googleapis/build/src/apis';
const kept = new Set(JSON.parse(readFileSync(new URL('googleapis-apis.json', import.meta.url), 'utf8')));

for (const entry of readdirSync(APIS, { withFileTypes: true })) {
  if (entry.isDirectory() && !kept.has(entry.name)) rmSync(join(APIS, entry.name), { recursive: true });
}
for (const file of globSync('node_modules/**/*.{d.ts,d.mts,d.cts,map}')) rmSync(file, { force: true });
