import { type IncomingHttpHeaders, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '../../support/servers/loopback-server.ts';
import { ASKING } from './fixture-actions.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const HOP_BY_HOP = ['connection', 'content-length', 'transfer-encoding', 'keep-alive'];

export interface SuiteProxyOptions {
  /** The service. */
  url: string;
  /** Value of the Authorization header, which the suite doesn't send. */
  authorization: string;
  /** The suite's names of fixtures → the service's own, for what it can't name freely: prompts and resources. */
  names: ReadonlyMap<string, string>;
  /** Called before the suite is told of a page that the user should open. */
  asked(page: string, tool: string): Promise<void>;
}

/** Stands between the conformance suite and the service. It adds what the suite lacks, and passes on everything else as it is. */
export function startSuiteProxy({ url, authorization, names, asked }: SuiteProxyOptions): Promise<LoopbackServer> {
  const service = new URL(url);
  return startLoopbackServer(async (request, response) => {
    const body = adapted(await buffer(request), names);
    const { host, 'mcp-name': name, ...rest } = request.headers;
    const headers = {
      ...endToEnd(rest),
      authorization,
      // The proxy's own address stands for the service's; any other Host is an attack that the service has to reject.
      host: host === `127.0.0.1:${request.socket.localPort}` ? service.host : host,
      ...(typeof name === 'string' && { 'mcp-name': names.get(name) ?? name }),
      'content-length': body.length,
    };
    const passed = send(new URL(request.url ?? '/', url), { method: request.method, headers }, async (answer) => {
      const status = answer.statusCode ?? 500;
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
      if (isStream) {
        response.writeHead(status, endToEnd(answer.headers)).flushHeaders();
        answer.pipe(response);
        return;
      }
      const content = await buffer(answer);
      const page = pageOf(content);
      if (page !== undefined) await asked(page, parsed(body).params.name);
      response.writeHead(status, { ...endToEnd(answer.headers), 'content-length': content.length }).end(content);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    passed.end(body);
  });
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

/** With the service's names. The suite declares elicitation by forms only; the tools that ask are called by one that shows pages. */
function adapted(body: Buffer, names: ReadonlyMap<string, string>): Buffer {
  const message = parsed(body);
  const { params } = message ?? {};
  if (params === null || typeof params !== 'object') return body;
  for (const field of ['name', 'uri']) {
    if (names.has(params[field])) params[field] = names.get(params[field]);
  }
  const capabilities = params._meta?.[CAPABILITIES];
  if (ASKING.test(params.name) && capabilities?.elicitation !== undefined) capabilities.elicitation = { form: {}, url: {} };
  return Buffer.from(JSON.stringify(message));
}

/** The page that a result asks the client to show. */
function pageOf(content: Buffer): string | undefined {
  const requests = Object.values<any>(parsed(content)?.result?.inputRequests ?? {});
  return requests.find(({ params }) => params?.mode === 'url')?.params.url;
}

function parsed(body: Buffer): any {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
