import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { compileIntegrations, IntegrationsError, type IntegrationsFormat, readBounded } from './integrations-file.ts';

/** The digest of a file's content, and the result of compiling it. */
interface Known<Result> {
  digest: string;
  result: Result;
}

/** Reads an integrations file repeatedly. The last valid and the last invalid content are not compiled again. */
export class IntegrationsReader<S extends z.ZodType, Compiled> {
  readonly #path: string;
  readonly #format: IntegrationsFormat<S, Compiled>;
  #good: Known<Compiled> | undefined;
  #bad: Known<IntegrationsError> | undefined;

  constructor(path: string, format: IntegrationsFormat<S, Compiled>) {
    this.#path = path;
    this.#format = format;
  }

  /**
   * @returns the same object as before if the content is that of the last valid file
   * @throws IntegrationsError
   */
  async read(): Promise<Compiled> {
    const bytes = await readBounded(this.#path);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (this.#good?.digest === digest) return this.#good.result;
    if (this.#bad?.digest === digest) throw this.#bad.result;
    try {
      const result = await compileIntegrations(bytes, this.#path, this.#format);
      this.#good = { digest, result };
      return result;
    } catch (error) {
      if (error instanceof IntegrationsError) this.#bad = { digest, result: error };
      throw error;
    }
  }
}
