import { hooks } from './startup/module-cache.js';
import { keepYoungGenerationSmall, letYoungGenerationGrow } from './startup/young-generation.js';

const START_MS = 3_000;

keepYoungGenerationSmall();
await import('./main.ts');
hooks.deregister();
setTimeout(letYoungGenerationGrow, START_MS).unref();
