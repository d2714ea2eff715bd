import { hooks } from './startup/module-cache.js';

await import('./main.ts');
hooks.deregister();
