import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of threads that parse external input: neither this process's secrets nor its options, but its compiled
 * code, without which a parser is compiled for each document.
 */
export function threadEnvironment(): Record<string, string> {
  // A folder of this version of Node, in the one that was given.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
