import { join } from 'node:path';
import { openStage, type Stage } from '../stage.ts';
import { createPeople, type Person } from './people.ts';
import { startWorkspaceStandIn, type WorkspaceStandIn } from './workspace-stand-in.ts';

/** A fresh database with people in it, and what the service needs to serve them. */
export interface Scene {
  stage: Stage;
  /** Of the service. */
  env: Record<string, string>;
  people: Person[];
  standIn: WorkspaceStandIn;
  /** Drops the database. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openScene(people: number): Promise<Scene> {
  const stage = await openStage();
  const standIn = await startWorkspaceStandIn();
  const env = {
    ...stage.serviceEnv,
    GOOGLE_CLIENT_ID: 'bench',
    GOOGLE_CLIENT_SECRET: 'bench',
    GOOGLE_TOKEN_URL: `${standIn.url}/token`,
    GOOGLE_REVOKE_URL: `${standIn.url}/revoke`,
    GOOGLE_API_URL: standIn.url,
    INTEGRATIONS_FILE: join(import.meta.dirname, 'integrations.yaml'),
  };
  const close = async () => {
    standIn.close();
    await stage.close();
  };
  try {
    return { stage, env, people: await createPeople(stage, standIn, people), standIn, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
