import type { AssociatedData } from '../../crypto/envelope.ts';
import type { Database } from '../../database/database.ts';
import { internalError } from '../../errors.ts';
import type { ServiceSecrets } from '../../vault/keys/service-secrets.ts';
import { insertPushKey, selectPushKey } from './push-keys-repository.ts';

/** A key pair for ES256, in base64url: a point that isn't compressed, and a number (RFC 8292, 2 and 3.2). */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

const PLACE: AssociatedData = { table: 'push_keys', column: 'private_key', userId: '', rowId: '1' };

/** The key by which push services know this service, the same for good: browsers bind their subscriptions to it. */
export async function pushKeys(db: Database, secrets: ServiceSecrets): Promise<PushKeys> {
  const stored = (await selectPushKey(db)) ?? (await makeKeys(db, secrets));
  return { publicKey: stored.publicKey, privateKey: (await secrets.open(PLACE, stored.privateKey)).toString() };
}

async function makeKeys(db: Database, secrets: ServiceSecrets) {
  const { default: webPush } = await import('web-push');
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  await insertPushKey(db, { publicKey, privateKey: await secrets.seal(PLACE, privateKey) });
  const stored = await selectPushKey(db);
  if (stored === undefined) throw internalError('the key for push services was not stored');
  return stored;
}
