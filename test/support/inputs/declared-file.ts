const WORKSPACE = ['mail.modify', 'drive', 'documents', 'calendar.events.owned', 'spreadsheets.readonly', 'presentations.readonly'];

/** An integrations file whose one agent has one action, from line 8. */
export function file(provider: string, needs: string, lines: string[]): string {
  const head = ['version: 1', 'agents:', '  a:', `    provider: ${provider}`, '    description: A.', `    ${needs}`, '    actions:'];
  return [...head, '      x:', ...lines.map((line) => `        ${line}`), ''].join('\n');
}

export function workspace(...lines: string[]): string {
  return file('workspace', `scopes: [${WORKSPACE.join(', ')}]`, lines);
}

export function bank(...lines: string[]): string {
  return file('bank', 'products: [transactions]', lines);
}

/** A declared action on line 9: the method, then from line 12 the rest. */
export function call(method: string, effect: string, ...lines: string[]): string {
  return workspace(`call: ${method}`, 'description: X.', `effect: ${effect}`, ...lines);
}
