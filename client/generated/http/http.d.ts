export * from './index.js';
export { createClient, createConfig } from './client/index.js';
