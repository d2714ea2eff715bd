import type { AssociatedData } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { type SourceClient, type SourceClients, withEarlier } from '../providers/mcp/source-authorization.ts';
import type { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import { insertOrLockClient, selectClients, updateClient } from './source-clients-repository.ts';
import type { Sources } from './source-deps.ts';

/** This service's clients at the authorization servers of sources, encrypted with a key of the service. */
export function storedClients(db: Database, secrets: Pick<ServiceSecrets, 'seal' | 'open'>, sources: Sources): SourceClients {
  return {
    async load(source) {
      const clients = new Map<string, SourceClient>();
      for (const { issuer, registration } of await selectClients(db, source)) {
        const text = await secrets.open(placeOf(source, issuer), registration);
        clients.set(issuer, JSON.parse(text.toString('utf8')) as SourceClient);
      }
      return clients;
    },
    async save(source, issuer, client) {
      const seal = (whole: SourceClient) => secrets.seal(placeOf(source, issuer), JSON.stringify(whole));
      const first = { issuer, registration: await seal(client) };
      // Whoever saves has loaded before, so that the keys are known: the transaction waits for a key service only if another replica
      // has replaced the service's key in between.
      await db.transaction(async (tx) => {
        const kept = await insertOrLockClient(tx, source, first);
        if (kept === undefined) return;
        const before = JSON.parse((await secrets.open(placeOf(source, issuer), kept)).toString('utf8')) as SourceClient;
        await updateClient(tx, source, { issuer, registration: await seal(withEarlier(client, before)) });
      });
    },
    settings: (source) => sources().get(source),
  };
}

function placeOf(source: string, issuer: string): AssociatedData {
  return { table: 'source_clients', column: 'registration', userId: '', rowId: `${source} ${issuer}` };
}
