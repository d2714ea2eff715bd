import { Assistant } from '../assistant/assistant.ts';
import type { ChatDeps } from '../assistant/chat-deps.ts';
import { Threads, type ThreadsDeps } from '../assistant/threads/threads.ts';
import type { ModelSettings } from '../config/config.ts';
import { fakeModel } from '../config/model-config.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Core } from './core.ts';
import { type AutomationsDeps, automationRunEnded, createAutomations } from './create-automations.ts';
import type { Sandbox } from './open-sandbox.ts';

interface Deps
  extends Omit<ChatDeps, 'threads' | 'models' | 'runEnded'>,
    ThreadsDeps,
    Pick<AutomationsDeps, 'tokens' | 'statuses' | 'uses' | 'providers'> {
  emit: RecordEvent;
  sandbox: Sandbox | undefined;
}

/** Conversations with the assistant, and those that automations begin. */
export function createAssistant(core: Core, { sandbox, ...deps }: Deps) {
  const threads = new Threads(deps);
  const models = modelsOf(core, sandbox);
  const assistant = new Assistant({ ...deps, threads, models, runEnded: automationRunEnded(core, { ...deps, threads }) });
  return {
    threads,
    /** The assistant's, the default one first. */
    models,
    assistant,
    automations: createAutomations(core, { ...deps, threads, assistant }),
  };
}

/** The assistant's models: those of the configuration, or the sandbox's stand-in. */
function modelsOf({ config }: Core, sandbox: Sandbox | undefined): ModelSettings[] {
  if (config.models !== 'sandbox') return config.models;
  return sandbox === undefined ? [] : [fakeModel(sandbox.model.baseUrl)];
}
