import { loadOnce } from '../concurrency/load-once.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { Core } from './core.ts';

interface Deps {
  userKeys: UserKeys;
  emit: RecordEvent;
  catalog(): Catalog;
}

/** Tools of sources. Nothing of them is loaded before the first account that has some. */
export function createSources({ db, clock }: Core, { userKeys, emit, catalog }: Deps) {
  const sourceTools = loadOnce(async () => {
    const [{ SourceTools }, { toolHash }, { fileTools }] = await Promise.all([
      import('../sources/source-tools.ts'),
      import('../providers/mcp/tool-hash.ts'),
      import('../integrations/file-tools.ts'),
    ]);
    return new SourceTools({ db, userKeys, emit, fileTools: fileTools(catalog), toolHash });
  });
  const toolBinding = loadOnce(async () => {
    const { ToolBinding } = await import('../sources/tool-binding.ts');
    return new ToolBinding(await sourceTools(), clock);
  });
  return { sourceTools, toolBinding };
}
