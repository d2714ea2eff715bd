import { createHash } from 'node:crypto';
import { compileIntegrations, IntegrationsError, type IntegrationsFormat, readBounded } from './integrations-file.ts';

/**
 * Reads an integrations file repeatedly. The last valid and the last invalid content are not compiled again.
 *
 * @returns gives the same object as before if the content is that of the last valid file; rejects with an IntegrationsError
 */
export function integrationsReader<Compiled>(path: string, format: IntegrationsFormat<Compiled>): () => Promise<Compiled> {
  let good: { digest: string; result: Compiled } | undefined;
  let bad: { digest: string; error: IntegrationsError } | undefined;
  return async () => {
    const bytes = await readBounded(path);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (good?.digest === digest) return good.result;
    if (bad?.digest === digest) throw bad.error;
    try {
      const result = await compileIntegrations(bytes, path, format);
      good = { digest, result };
      return result;
    } catch (error) {
      if (error instanceof IntegrationsError) bad = { digest, error };
      throw error;
    }
  };
}
