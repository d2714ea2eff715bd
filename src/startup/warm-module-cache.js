// Run once where an image is built: loads what every start loads and starts nothing. The compiled code stays in the
// cache, and a file or package that is missing is found out here.
import './module-cache.js';

await Promise.all([import('../config/load-config.ts'), import('./startup-error.ts'), import('../server.ts')]);
await Promise.all([
  import('../jobs/jobs.ts'),
  import('../identity/firebase.ts'),
  import('../identity/oidc.ts'),
  import('../providers/bank/bank-provider.ts'),
  import('../providers/bank/bank-webhook-keys.ts'),
  import('../providers/workspace/workspace-provider.ts'),
  import('../providers/workspace/workspace-api.ts'),
]);
