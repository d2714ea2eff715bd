import { join } from 'node:path';
import { openStage, type Stage } from '../stage.ts';
import { createPeople, type Person } from './people.ts';
import { startWorkspaceEmulator, type WorkspaceEmulator } from './workspace-emulator.ts';

/** A new database with users, and the service's environment. */
export interface Scene {
  stage: Stage;
  /** Of the service. */
  env: Record<string, string>;
  people: Person[];
  emulator: WorkspaceEmulator;
  /** Drops the database. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param firstLife of the accounts' access tokens, seconds; default: they have expired */
export async function openScene(people: number, firstLife = () => 0): Promise<Scene> {
  const stage = await openStage();
  const emulator = await startWorkspaceEmulator();
  const env = {
    ...stage.serviceEnv,
    GOOGLE_CLIENT_ID: 'bench',
    GOOGLE_CLIENT_SECRET: 'bench',
    GOOGLE_TOKEN_URL: `${emulator.url}/token`,
    GOOGLE_REVOKE_URL: `${emulator.url}/revoke`,
    GOOGLE_API_URL: emulator.url,
    INTEGRATIONS_FILE: join(import.meta.dirname, 'integrations.yaml'),
  };
  const close = async () => {
    emulator.close();
    await stage.close();
  };
  try {
    return { stage, env, people: await createPeople(stage, emulator, people, firstLife), emulator, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
