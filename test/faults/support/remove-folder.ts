import { rmSync } from 'node:fs';

/** Removes a temporary folder as far as that is possible: a server that was killed a moment ago may still write there. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The system clears its folder for temporary files.
  }
}
