import { ownIntegrations } from '../inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../steward.ts';

/** All actions of both agents, without limits that tests reach. */
const fileWith = (approval: string) => `version: 1
defaults:
  policy: { approval: ${approval}, rate: 1000/min }
agents:
  drive: { provider: workspace, description: Files., scopes: [drive] }
  documents: { provider: workspace, description: Documents., scopes: [documents] }
`;

/** A service whose agents work with files and documents. @param approval the policy; by default, nothing is asked about but what the gate requires */
export function startFileAgents(env: Record<string, string> = {}, approval = 'never'): Promise<TestSteward> {
  return startSteward({ INTEGRATIONS_FILE: ownIntegrations(fileWith(approval)), ...env });
}
