import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programsMissing } from '../../support/processes/programs.ts';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const GUIDE = readFileSync(new URL('../../../docs/agent.md', import.meta.url), 'utf8');

/** Runs the guide's commands in a folder of its own, where only the service's address differs. */
describe.skipIf(programsMissing('curl'))('docs/agent.md', () => {
  let steward: TestSteward;
  let folder: string;
  let commands: string[];

  beforeAll(async () => {
    steward = await startSteward();
    folder = mkdtempSync(join(tmpdir(), 'steward-agent-'));
    await connect(steward);
    commands = blocks('sh');
    await shell(folder, commands[0] ?? '').ended;
    writeFileSync(join(folder, 'my-agent/agent.mjs'), blocks('js')[0] ?? '');
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await steward.stop();
  });

  function blocks(language: string): string[] {
    const text = GUIDE.replaceAll('http://127.0.0.1:8080', steward.url);
    return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);
  }

  function shell(cwd: string, script: string) {
    const child = spawn('bash', ['-euc', script], { cwd, env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    const ended = once(child, 'close').then(([status]) => ({ status, output }));
    return { read: () => output, ended };
  }

  it('makes a token', () => {
    expect(readFileSync(join(folder, 'my-agent/token'), 'utf8')).toMatch(/^stw_pat_\w{36}$/);
  });

  it('answers with what the tools return', async () => {
    const { status, output } = await shell(join(folder, 'my-agent'), commands[1] ?? '').ended;
    expect(status).toBe(0);
    expect(output).toMatch(/Ana/);
    expect(output).not.toMatch(/not among my tools/);
  });

  it('waits for the user’s approval, and goes on', async () => {
    const { read, ended } = shell(join(folder, 'my-agent'), commands[2] ?? '');
    await eventually(() => read().includes('Decide at'));
    const [, id = ''] = /approvals\/([0-9a-f-]+)/.exec(read()) ?? [];
    const headers = { 'content-type': 'application/json' };
    await steward.call(`/approvals/${id}`, { token: await steward.signIn(), body: '{"approved":true}', headers });
    const { status, output } = await ended;
    expect(status).toBe(0);
    expect(output).toMatch(/bob@example\.com[\s\S]*Decide at[\s\S]*sent/i);
  });
});
