import './startup/module-cache.js';

await import('./main.ts');
