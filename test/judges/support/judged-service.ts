import { newPerson } from '../../support/emulators/workspace-content.ts';
import type { LoopbackServer } from '../../support/servers/loopback-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { fixtureActions, withFixtures } from './fixture-actions.ts';
import { startSuiteProxy } from './suite-proxy.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** A suite sends more in a second than a client in a minute. */
const LIMITS = { LIMIT_MCP_REQUESTS_PER_MINUTE: '100000', LIMIT_MCP_CALLS: '100' };

/** The suite repeats its call, as a client does whose user has decided. */
const DECIDED = 'test_input_required_result_request_state';

/** The service with the suite's fixtures, a user with a mail account, and a client of that user. */
export interface JudgedService {
  steward: TestSteward;
  /** Address of /mcp. */
  endpoint: string;
  /** The same behind the proxy that signs the suite in. */
  suiteEndpoint: string;
  /** Value of the Authorization header. */
  authorization: string;
  stop(): Promise<void>;
}

export async function startJudgedService(): Promise<JudgedService> {
  const changed = async () => steward.context.mcp.toolsChanged();
  const fixtures = fixtureActions(changed);
  const steward: TestSteward = await startSteward(LIMITS, { catalog: (loaded) => withFixtures(loaded, fixtures) });
  const user = await newPerson(steward);
  const form = JSON.stringify({ name: 'judge', actions: ['*'], access: 'write' });
  const { body } = await steward.call('/tokens', { token: user.token, body: form, headers: JSON_TYPE });
  const authorization = `Bearer ${body.token}`;
  const { items } = await user.act('mail.search');
  const proxy: LoopbackServer = await startSuiteProxy({
    url: steward.url,
    authorization,
    names: new Map([
      ['test://static-text', `steward://mail/message/${items[0].id}`],
      ['test_simple_prompt', 'what_needs_an_answer'],
    ]),
    async asked(page, tool) {
      // Else the next call of the suite would get the result of this one.
      if (tool !== DECIDED) return;
      const path = new URL(page).pathname;
      await steward.call(path, { token: user.token, body: JSON.stringify({ approved: true }), headers: JSON_TYPE });
    },
  });
  return {
    steward,
    endpoint: `${steward.url}/mcp`,
    suiteEndpoint: `${proxy.url}/mcp`,
    authorization,
    async stop() {
      await proxy.close();
      await steward.stop();
    },
  };
}
