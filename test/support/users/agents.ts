import { AppError } from '../../../src/errors.ts';
import type { CallResult } from '../../../src/executor/executor.ts';
import type { Service } from '../steward.ts';
import { SocketClient } from './socket-client.ts';

export interface ActionCallOptions {
  /** ID token of the caller; default a fresh one of `demo`. */
  token?: string;
  /** Id or label; default the user's default account. */
  account?: string;
  idempotencyKey?: string;
}

interface Line {
  client: Promise<SocketClient>;
  calls: number;
}

/** Within the service's own limits on a socket, and on the sockets of a user. */
const CALLS_OF_A_LINE = 10;
const LINES_OF_A_USER = 8;

const lines = new Map<string, Line[]>();

/** Runs an action over a socket, as a user's front end would; rejects with the error that the caller receives. */
export async function callAction(
  steward: Pick<Service, 'url' | 'signIn'>,
  action: string,
  input: unknown = {},
  { token, account, idempotencyKey }: ActionCallOptions = {},
): Promise<CallResult> {
  return onLine(steward.url, token ?? (await steward.signIn()), async (client) => {
    const response = await client.request({ type: 'call', action, input, account, idempotencyKey });
    if (response.type === 'result') return { data: response.data, meta: response.meta };
    throw toAppError(response);
  });
}

/** The error of an error frame, as the service threw it. */
export function toAppError({ errorText, error: { code, retryable: _, retryAfter, ...details } }: Record<string, any>): AppError {
  return new AppError(code, errorText, {
    ...(retryAfter !== undefined && { retryAfter }),
    ...(Object.keys(details).length > 0 && { details }),
  });
}

/** Concurrent calls of one user share sockets, so that there may be many. */
async function onLine<Result>(url: string, token: string, work: (client: SocketClient) => Promise<Result>): Promise<Result> {
  const key = `${url} ${subjectOf(token)}`;
  const own = lines.get(key) ?? [];
  lines.set(key, own);
  let line = own.find(({ calls }) => calls < CALLS_OF_A_LINE);
  if (line === undefined) {
    if (own.length >= LINES_OF_A_USER) throw new Error('too many calls of one user at a time');
    line = { client: SocketClient.signedIn(url, token), calls: 0 };
    own.push(line);
  }
  line.calls += 1;
  try {
    return await work(await line.client);
  } finally {
    line.calls -= 1;
    if (line.calls === 0) {
      own.splice(own.indexOf(line), 1);
      await line.client.then(
        (client) => client.close(),
        () => {},
      );
    }
  }
}

function subjectOf(token: string): string {
  const payload = token.split('.')[1] ?? '';
  return String(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}').sub ?? token);
}
