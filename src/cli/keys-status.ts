import { currentKeys } from '../crypto/keys-source.ts';
import { selectLiveReplicas } from '../replicas/replicas-repository.ts';
import { countExposed } from '../vault/rotation/key-rotation-repository.ts';
import { countMasterKeyUses } from '../vault/rotation/master-keys-repository.ts';
import { command, withSession } from './command.ts';

const HEADERS = ['KEY', 'WHERE', 'FIRST', 'USER KEYS', 'REVOCATIONS', 'FORMER KEYS', 'SERVICE KEYS', 'HELD BY'];

export const status = command('status', 'Shows each key, what it wraps, and how many running replicas hold it.').action(
  withSession(async (session) => {
    const keys = currentKeys(session.config);
    const db = await session.database();
    const [uses, replicas] = [await countMasterKeyUses(db), await selectLiveReplicas(db)];
    const ids = [...new Set([...keys.map((key) => key.id), ...uses.map((use) => use.id), ...replicas.flatMap(({ keyIds }) => keyIds)])];
    const primary = keys[0]?.id ?? '';
    const rows = ids.map((id) => {
      const key = keys.find((candidate) => candidate.id === id);
      const use = uses.find((candidate) => candidate.id === id);
      const where = key === undefined ? (use === undefined ? 'not here' : 'MISSING') : 'arn' in key ? 'aws-kms' : 'here';
      const held = replicas.filter(({ keyIds }) => keyIds.includes(id)).length;
      const first = id === primary ? 'yes' : '';
      const counts = [use?.userKeys, use?.revocations, use?.formerKeys, use?.serviceKeys].map((count) => `${count ?? 0}`);
      return [id, where, first, ...counts, `${held} of ${replicas.length}`];
    });
    for (const line of table([HEADERS, ...rows])) session.print(line);
    for (const { id, keyIds } of replicas) {
      if (keyIds[0] !== primary)
        session.print(`Replica ${id} wraps under ${keyIds[0]}: it has not read this list yet, or has another one.`);
    }
    const { userKeys, revocations } = await countExposed(db, primary);
    if (userKeys + revocations > 0) {
      session.print(
        `${userKeys} user key(s) and ${revocations} revocation(s) are or were under another key than ${primary}. After a leak: npm run keys -- rewrap --new-user-keys`,
      );
    }
  }),
);

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADERS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
