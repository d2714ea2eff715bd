import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, by a run on two cores. Begun last, one of them would be waited for alone. */
const LONGEST = [
  'process/failover',
  'executor/taint',
  'http/openapi',
  'vault/revocation',
  'client/steward-client',
  'actions/office-text',
  'socket/socket',
  'bank/agents-bank-provider',
  'integrations/integrations-reload',
  'executor/approval-expiry',
  'sandbox/sandbox-workspace',
  'http/limits-clients',
  'bank/bank-errors',
  'refresh/refresh-faults',
  'oauth/authorization-replicas',
  'assistant/hostile-models',
  'executor/executor',
  'refresh/refresh',
  'mcp/mcp-hostile',
  // Of processes and browsers, which begin when these have ended.
  'process/process-kill',
  'browser/chat',
  'process/provider-work',
  'browser/page',
  'process/main-thread',
  'process/process-lifecycle',
  'process/database-outage',
  'process/process-refresh',
  'browser/page-accessibility',
  'browser/page-agents',
  'browser/chat-models',
  'browser/page-approvals',
  'browser/page-defects',
  'browser/page-clients',
  'cli/keys-commands',
  'process/start-failures',
  'process/chat-cuts',
  'cli/data-memory',
  'cli/data-transfer',
  'process/rolling-restart',
];

/** Begins with the longest files, also in a new clone, which has no durations of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

function place({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
}
