import './startup/v8-flags.js';
import './startup/module-cache.js';

await import('./main.ts');
