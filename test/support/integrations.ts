import { expect } from 'vitest';
import { integrationsFormat } from '../../src/integrations/compile-catalog.ts';
import { IntegrationsError, parseIntegrations } from '../../src/integrations/integrations-file.ts';

/** What is wrong with an integrations file, as `line:column path: message`. */
export async function problemsOf(source: string): Promise<string[]> {
  try {
    await parseIntegrations(source, 'integrations.yaml', integrationsFormat);
  } catch (error) {
    expect(error).toBeInstanceOf(IntegrationsError);
    return (error as IntegrationsError).problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  }
  return [];
}
