import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

/** What the package exports: functions, types, and how to make a client of one's own. */
const ENTRY = "export * from './index.js';\nexport { createClient, createConfig } from './client/index.js';\n";

/** Writes a client of an OpenAPI document as TypeScript into a folder; its entry is `http.ts`. */
export async function writeHttpClient(document: object, folder: string): Promise<void> {
  await createClient({
    input: document as Record<string, unknown>,
    output: { path: folder, module: { extension: '.js' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  });
  writeFileSync(join(folder, 'http.ts'), ENTRY);
}
