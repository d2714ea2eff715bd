import type { Clock } from '../clock/clock.ts';
import type { Limits } from '../config/limits.ts';
import type { Executor } from '../executor/executor.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Logger } from '../observability/logger.ts';
import type { Principal } from '../principal.ts';
import type { Providers } from '../providers/open-providers.ts';

/** A client with a credential of its own. The user in person does not call over MCP. */
export type McpClient = Principal & { clientId: string };

export interface McpDeps {
  clock: Clock;
  executor: Pick<Executor, 'invoke' | 'refuse' | 'outcome' | 'accounts' | 'client'>;
  catalog(): Catalog;
  providers: Providers;
  limits: Pick<Limits, 'toolListBytes' | 'toolListTools'>;
  /** The address of an approval's page. */
  approvalUrl(approvalId: string): string;
  logger: Logger;
  /** Of the service. */
  version: string;
  /** Secrets that sign the state which a client brings back, newest first. */
  stateKeys(): Promise<readonly Uint8Array[]>;
}

/** Where calls come from, for the audit log. */
export const SURFACE = 'mcp';
