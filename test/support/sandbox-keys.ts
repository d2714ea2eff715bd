import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { generateSigningKeys, signingKeysFile } from '../../sandbox/signing-keys.ts';
import { openStore } from '../../sandbox/store.ts';

let generated: ReturnType<typeof generateSigningKeys> | undefined;

/**
 * Gives a new data folder the sandbox's signing keys. Generating them takes half of the processor time of a start, so
 * all folders of a worker have the same, under ids of their own.
 */
export function provideSandboxKeys(dataDir: string): void {
  generated ??= generateSigningKeys();
  const { identity, workspace } = generated;
  const keys = { identity: { ...identity, kid: randomUUID() }, workspace: { ...workspace, kid: randomUUID() } };
  openStore(signingKeysFile(join(dataDir, 'sandbox')), () => keys);
}
