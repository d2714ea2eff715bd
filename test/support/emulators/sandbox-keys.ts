import { randomUUID } from 'node:crypto';
import { generateSigningKeys, signingKeysFile } from '../../../sandbox/signing-keys.ts';
import { openStore } from '../../../sandbox/store.ts';

let generated: ReturnType<typeof generateSigningKeys> | undefined;

/**
 * Gives a sandbox's folder its signing keys, if it has none. Generating them takes half of the processor time of a start, so
 * all folders of a worker have the same, under ids of their own.
 */
export function provideSandboxKeys(directory: string): void {
  generated ??= generateSigningKeys();
  const { identity, workspace } = generated;
  const keys = { identity: { ...identity, kid: randomUUID() }, workspace: { ...workspace, kid: randomUUID() } };
  openStore(signingKeysFile(directory), () => keys);
}
