// Removes from node_modules what production does not load: type declarations and source maps. Run by the Dockerfile, in the
// folder of package.json.
import { globSync, rmSync } from 'node:fs';

for (const file of globSync('node_modules/**/*.{d.ts,d.mts,d.cts,map}')) rmSync(file, { force: true });
