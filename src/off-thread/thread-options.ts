import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Of threads that parse external input. Their environment has neither this process's secrets nor its options, but its
 * compiled code, without which a parser is compiled for each document.
 */
export function threadOptions() {
  // A folder of this version of Node, in the one that was given.
  const folder = getCompileCacheDir();
  const env: Record<string, string> = folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
  return { resourceLimits: RESOURCE_LIMITS, env, execArgv: [] };
}
