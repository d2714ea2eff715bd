/** An integrations file with a source, `tickets`, and an agent of it with the given actions, one a line from line 9. */
export function sourceFile(source: string, ...actions: string[]): string {
  return [
    'version: 1',
    'sources:',
    `  tickets: ${source}`,
    'agents:',
    '  tickets:',
    '    provider: mcp',
    '    source: tickets',
    '    description: Tickets.',
    '    actions:',
    ...actions.map((action) => `      ${action}`),
    '',
  ].join('\n');
}
