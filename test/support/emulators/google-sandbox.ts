import { connect } from '../scenes/flows.ts';
import type { TestSteward } from '../steward.ts';

export interface GoogleResponse {
  status: number;
  body: any;
  bytes: Buffer;
  type: string;
}

export type GoogleCall = (
  path: string,
  options?: { method?: string; json?: unknown; bytes?: string | Buffer; type?: string },
) => Promise<GoogleResponse>;

/** Connects an account and calls the sandbox's APIs with its access token, as any client of the provider's would. */
export async function callGoogleSandbox(steward: TestSteward): Promise<GoogleCall> {
  await connect(steward);
  const [grant] = await steward.sql<{ id: string; userId: string }>('select id, user_id as "userId" from grants');
  const token = await steward.context.tokens.current(grant!.userId, grant!.id);
  const root = steward.context.sandbox?.workspace.apiUrl;
  return async (path, { method, json, bytes, type } = {}) => {
    const body = json === undefined ? bytes : JSON.stringify(json);
    const response = await fetch(`${root}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type ?? 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const received = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && received.length > 0;
    return {
      status: response.status,
      body: isJson ? JSON.parse(received.toString()) : undefined,
      bytes: received,
      type: response.headers.get('content-type') ?? '',
    };
  };
}
