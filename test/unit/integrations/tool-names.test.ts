import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../../scripts/generate/tools-of-file.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';

const agent = (name: string, actions: string) =>
  `  ${name}:\n    provider: workspace\n    description: D.\n    scopes: [mail.modify, drive]\n    actions:\n      ${actions}`;
const file = (...agents: string[]) => `version: 1\nagents:\n${agents.join('\n')}\n`;
const long = (letter: string) => letter.repeat(40);

describe('a tool’s name', () => {
  it('is the action’s, with _ in place of the dot', async () => {
    const names = (await toolsOf(readFileSync('integrations.yaml', 'utf8'))).map(({ name }) => name);
    expect(names).toContain('mail_search');
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  });

  it('belongs to one action: the second of two is rejected at its line', async () => {
    const source = file(agent('a_b', 'c: { use: mail.search }'), agent('a', 'b_c: { use: drive.search }'));
    expect(await problemsOf(source)).toEqual(['14:7 agents.a.actions.b_c: is a_b_c as a model’s tool, as a_b.c is: rename one of them']);
  });

  it.each(['approval_result', 'find_tools', 'call_tool'])('is not %s, which is a tool of its own', async (tool) => {
    const [name = '', action = ''] = tool.split('_');
    expect(await problemsOf(file(agent(name, `${action}: { use: mail.search }`)))).toEqual([
      `8:7 agents.${name}.actions.${action}: is ${tool} as a model’s tool, a name that is taken: rename it`,
    ]);
  });

  it('may differ by more than the place of the dot', async () => {
    const source = file(agent('a-b', 'c: { use: mail.search }'), agent('a', 'b_c: { use: drive.search }'));
    expect((await toolsOf(source)).map(({ name }) => name)).toEqual(['a-b_c', 'a_b_c']);
  });

  it('has at most 64 characters', async () => {
    expect(await problemsOf(file(agent(long('a'), `${long('b')}: { use: mail.search }`)))).toEqual([
      expect.stringMatching(/^8:7 agents\.a{40}\.actions\.b{40}: is a{40}_b{40} as a model’s tool, which has more than 64 characters/),
    ]);
    expect(await problemsOf(file(agent(long('a'), `${'b'.repeat(23)}: { use: mail.search }`)))).toEqual([]);
  });
});
