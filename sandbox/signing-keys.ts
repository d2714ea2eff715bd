import { join } from 'node:path';
import { generateKey, type StoredKey } from './identity/identity-keys.ts';
import { openStore } from './store.ts';

/** The keys that sign ID tokens, one for each emulated issuer. */
export interface SigningKeys {
  identity: StoredKey;
  workspace: StoredKey;
}

/** Generates them, which takes a processor a tenth of a second. */
export function generateSigningKeys(): SigningKeys {
  return { identity: generateKey(), workspace: generateKey() };
}

/** The file of the keys in the sandbox's folder. */
export function signingKeysFile(directory: string): string {
  return join(directory, 'signing-keys.json');
}

/** Opens the sandbox's keys, or generates them with its first start. */
export function openSigningKeys(directory: string): SigningKeys {
  return openStore(signingKeysFile(directory), generateSigningKeys).state;
}
