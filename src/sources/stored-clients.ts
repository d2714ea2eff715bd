import type { AssociatedData } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import type { SourceClient, SourceClients } from '../providers/mcp/source-authorization.ts';
import type { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import { selectClients, upsertClient } from './source-clients-repository.ts';
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
      await upsertClient(db, source, { issuer, registration: await secrets.seal(placeOf(source, issuer), JSON.stringify(client)) });
    },
    settings: (source) => sources().get(source),
  };
}

function placeOf(source: string, issuer: string): AssociatedData {
  return { table: 'source_clients', column: 'registration', userId: '', rowId: `${source} ${issuer}` };
}
