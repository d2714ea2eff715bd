import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Types are stripped at every start; Node keeps the result, which halves the time to ready. The folder is
// the installation's own: whoever can write a shared one could put code into it.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/steward'));
await import('./run.ts');
