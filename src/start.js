import { hooks } from './modules.js';

await import('./main.ts');
hooks.deregister();
