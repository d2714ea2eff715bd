import type { Database } from '../database/database.ts';
import { ignoreDecryptionFailure } from '../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import { selectAutomations } from './automations-repository.ts';
import { openDefinition } from './definition/sealed-definition.ts';

/** The names of a user's automations, by id, without those that are gone or can't be decrypted. */
export async function automationNames(
  { db, userKeys }: { db: Database; userKeys: UserKeys },
  userId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = (await selectAutomations(db, userId)).filter(({ id }) => ids.includes(id));
  const keyFor = userKeys.forRecords(db, userId);
  const named = rows.map(({ id, definition }) =>
    ignoreDecryptionFailure(
      async (): Promise<[string, string]> => [id, openDefinition(await keyFor(definition), { userId, id }, definition).name],
    ),
  );
  return new Map((await Promise.all(named)).filter((one) => one !== undefined));
}
