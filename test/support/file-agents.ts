import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSteward, type TestSteward } from './steward.ts';

/** All actions of both agents, without limits that tests reach. */
const fileWith = (approval: string) => `version: 1
defaults:
  policy: { approval: ${approval}, rate: 1000/min }
agents:
  drive: { provider: workspace, description: Files., scopes: [drive] }
  documents: { provider: workspace, description: Documents., scopes: [documents] }
`;

/** A service whose agents work with files and documents. @param approval the policy; by default, nothing is asked about but what the gate requires */
export async function startFileAgents(env: Record<string, string> = {}, approval = 'never'): Promise<TestSteward> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-files-'));
  const file = join(folder, 'integrations.yaml');
  writeFileSync(file, fileWith(approval));
  const steward = await startSteward({ INTEGRATIONS_FILE: file, ...env });
  return {
    ...steward,
    async stop() {
      await steward.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
