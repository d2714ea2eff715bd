import { expect } from 'vitest';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { IntegrationsError, parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';

const integrationsFormat = createIntegrationsFormat(PROVIDERS);

/** The diagnostics of an integrations file, as `line:column path: message`. */
export async function problemsOf(source: string): Promise<string[]> {
  try {
    await parseIntegrations(source, 'integrations.yaml', integrationsFormat);
  } catch (error) {
    expect(error).toBeInstanceOf(IntegrationsError);
    return (error as IntegrationsError).problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  }
  return [];
}
