import type { EmulatorOptions } from '../emulator-options.ts';
import { modelRoutes } from './model-routes.ts';

export interface ModelSandboxOptions extends Pick<EmulatorOptions, 'selfUrl' | 'controls'> {
  /** Between the deltas of an answer that is asked to be slow, milliseconds. */
  slowMs?: number;
}

export type ModelSandbox = ReturnType<typeof createModelSandbox>;

const SLOW_MS = 200;

/** Opens the stand-in for a language model. It has no state. */
export function createModelSandbox({ selfUrl, controls, slowMs = SLOW_MS }: ModelSandboxOptions) {
  return {
    /** To be mounted at /sandbox/model. */
    router: modelRoutes({ controls, slowMs }),
    /** Base URL of the API, as OpenAI-compatible clients take it. */
    baseUrl: `${selfUrl}/sandbox/model/v1`,
  };
}
