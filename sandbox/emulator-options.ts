import type { Logger } from '../src/observability/logger.ts';
import type { Controls } from './controls.ts';

/** What the emulator of every provider is opened with. */
export interface EmulatorOptions {
  /** Folder of the sandbox's data. */
  directory: string;
  /** {base_url} as browsers see it, no trailing slash. */
  publicUrl: string;
  /** http://127.0.0.1:<port>, where the service reaches itself. */
  selfUrl: string;
  allowedOrigins: string[];
  logger: Logger;
  controls: Controls;
}
