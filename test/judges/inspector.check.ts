import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from './support/judge.ts';
import { type JudgedService, startJudgedService } from './support/judged-service.ts';

/** Exit code for a result with `isError`. */
const TOOL_IS_ERROR = 5;

let service: JudgedService;

beforeAll(async () => {
  service = await startJudgedService();
});
afterAll(() => service?.stop());

async function inspect(era: string, ...args: string[]) {
  const header = `Authorization: ${service.authorization}`;
  const target = [service.endpoint, '--transport', 'http', '--protocol-era', era, '--header', header];
  return judge('mcp-inspector', ['--cli', ...target, '--format', 'json', ...args]);
}

describe.each(['modern', 'legacy'])('the inspector’s command line, %s', (era) => {
  it('lists the tools and finds their schemas portable', async () => {
    const { code, stdout } = await inspect(era, '--method', 'tools/list', '--strict');
    expect(code).toBe(0);
    const names = JSON.parse(stdout).result.tools.map(({ name }: any) => name);
    expect(names).toEqual(expect.arrayContaining(['mail_search', 'test_simple_text', 'approval_result']));
  });

  it('calls a tool', async () => {
    const { code, stdout } = await inspect(era, '--method', 'tools/call', '--tool-name', 'test_simple_text');
    expect(code).toBe(0);
    const data = { text: 'This is a simple text response for testing.' };
    expect(JSON.parse(stdout)).toMatchObject({ result: { structuredContent: { data } } });
  });

  it('is told where to approve a call', async () => {
    const { code, stdout } = await inspect(era, '--method', 'tools/call', '--tool-name', 'test_input_required_result_elicitation');
    expect(code).toBe(TOOL_IS_ERROR);
    expect(JSON.parse(stdout).result.content[0].text).toContain(`${service.steward.url}/approvals/`);
  });
});
