import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

// Types are stripped at every start; Node keeps the result, which halves the time to ready. This file is
// JavaScript so that the cache is on before the first type is met. The folder is the installation's own:
// whoever can write a shared one could put code into it.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/steward'));
// zod comes with the messages of sixty languages, a tenth of all modules; the service speaks one.
const hooks = registerHooks({
  resolve: (specifier, context, next) => next(specifier === '../locales/index.js' ? '../locales/en.js' : specifier, context),
});
await import('zod');
hooks.deregister();
await import('./main.ts');
