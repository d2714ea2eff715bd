import { randomUUID } from 'node:crypto';
import { insertItem } from '../../src/bank/items-repository.ts';
import { parseKeyset } from '../../src/config/master-key-list.ts';
import { Keyring } from '../../src/crypto/keyring.ts';
import { Database } from '../../src/database/database.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { upsertUser } from '../../src/users/users-repository.ts';
import { Grants } from '../../src/vault/grants/grants.ts';
import { Revocations } from '../../src/vault/grants/revocations.ts';
import { UserKeys } from '../../src/vault/keys/user-keys.ts';
import { upsertAccount } from '../../src/workspace/accounts-repository.ts';
import type { Stage } from '../stage.ts';
import type { WorkspaceEmulator } from './workspace-emulator.ts';

const SCOPES = ['openid', 'email', 'profile', 'https://www.googleapis.com/auth/gmail.modify'];
const ACCOUNTS = [{ account_id: 'a-1', persistent_account_id: null, name: 'Everyday', mask: '0000' }];

/** A user with a mailbox and a bank, and an ID token of an hour. */
export interface Person {
  subject: string;
  userId: string;
  grantId: string;
  token: string;
}

/** The service's own modules that write users and their grants. */
export function openVault(stage: Stage): { db: Database; userKeys: UserKeys; grants: Grants } {
  const logger = createLogger('silent');
  const db = new Database({ connectionString: stage.databaseUrl }, 2, logger);
  const keyring = new Keyring(parseKeyset(stage.serviceEnv.MASTER_KEYS ?? ''), { logger });
  const userKeys = new UserKeys(keyring);
  const grants = new Grants(db, userKeys, new Revocations({ db, keyring, revokers: {}, logger }), logger);
  return { db, userKeys, grants };
}

/**
 * Users whose rows the service's own modules wrote: their tokens can be decrypted, and their mailboxes' refresh tokens are valid.
 *
 * @param firstLife of their access tokens, seconds
 */
export async function createPeople(
  stage: Stage,
  { consent }: Pick<WorkspaceEmulator, 'consent'>,
  count: number,
  firstLife: () => number,
): Promise<Person[]> {
  const { db, grants } = openVault(stage);
  const people: Person[] = [];
  for (let index = 0; index < count; index += 1) {
    const subject = `person-${index}`;
    const email = `${subject}@example.com`;
    const userId = await upsertUser(db, stage.issuer.env.OIDC_ISSUER, subject, email);
    const grantId = await db.transaction(async (tx) => {
      const lifeSeconds = firstLife();
      const expiresAt = new Date(Date.now() + lifeSeconds * 1000);
      const workspace = {
        userId,
        provider: 'workspace',
        subject,
        tokens: consent(lifeSeconds),
        scopes: SCOPES,
        expiresAt,
      } as const;
      const { id } = await grants.store(tx, workspace);
      await upsertAccount(tx, { id: randomUUID(), grantId: id, userId, email, name: subject, picture: '' });
      const tokens = { accessToken: `access-${randomUUID()}` };
      const bank = await grants.store(tx, { userId, provider: 'bank', subject: `item-${index}`, tokens, scopes: [], expiresAt: null });
      await insertItem(tx, randomUUID(), bank.id, userId, { institutionId: 'ins_1', bankName: 'First Example Bank', accounts: ACCOUNTS });
      return id;
    });
    people.push({ subject, userId, grantId, token: await stage.issuer.sign(subject) });
  }
  await db.close();
  return people;
}
