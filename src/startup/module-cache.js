import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

// Types are stripped at every start; Node keeps the result, which halves the time to ready. This file is
// JavaScript so that the cache is on before the first type is met. The folder is the installation's own:
// whoever can write a shared one could put code into it.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/steward'));

const SOURCE = new URL('..', import.meta.url).href;
const packages = new Map();

/** Finds modules with fewer looks at the disk: those were a tenth of the start. */
export const hooks = registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    // zod comes with the messages of sixty languages, a tenth of all modules; the service speaks one.
    if (specifier === '../locales/index.js' && parentURL.includes('/zod/')) return next('../locales/en.js', context);
    if (!parentURL.startsWith(SOURCE)) return next(specifier, context);
    if (specifier.startsWith('.')) return ownFile(specifier, context, next);
    // A package is the same one for all files of ours.
    const found = packages.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
    packages.set(specifier, found);
    return found;
  },
});

/** Lies where its importer says, and is what its name says. */
function ownFile(specifier, context, next) {
  if (!specifier.endsWith('.ts')) return next(specifier, context);
  return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
}
