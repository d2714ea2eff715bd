import { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import { command, withSession } from './command.ts';
import { keyringOf } from './keys-deps.ts';

export const rotateSigning = command('rotate-signing', 'Replaces the service’s own signing and cookie keys.').action(
  withSession(async (session) => {
    const db = await session.database();
    await new ServiceSecrets(db, keyringOf(session)).rotate();
    session.print('Added new keys. Running replicas use them in about a minute, and accept the former ones until the next rotation.');
  }),
);
