import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SingleFlight } from '../concurrency/single-flight.ts';
import type { MetricsSettings } from '../config/config.ts';
import { StartError } from '../errors.ts';
import { http } from '../node-http.ts';
import { describeError, type Logger } from '../observability/logger.ts';

const PATH = '/metrics';
/** For a few scrapers; slow and idle connections are closed. */
const CONNECTIONS_MAX = 50;
const REQUEST_MS = 5_000;
const RESPONSE_MS = 15_000;
const HEADER_BYTES = 8_192;

/**
 * Serves metrics on a listener of their own, so that they are never public by accident.
 *
 * @param read renders the metrics; concurrent scrapes share one result
 * @throws StartError when the address can't be listened on
 */
export async function startMetricsServer(
  { host, port }: MetricsSettings,
  contentType: string,
  read: () => Promise<string>,
  logger: Logger,
) {
  const reading = new SingleFlight<string>();
  const shared = () => reading.run(PATH, read);
  const server = http.createServer(
    { maxHeaderSize: HEADER_BYTES, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      respond(request, response, contentType, shared).catch((error: unknown) => {
        logger.error({ err: describeError(error) }, 'metrics could not be read');
        plain(response, 500, 'metrics could not be read');
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.setTimeout(RESPONSE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error)));
    server.listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    /** URL of the scrape endpoint. */
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}${PATH}`,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Scrapers keep connections open. A response that is cut off is scraped again.
      server.closeAllConnections();
      return closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  contentType: string,
  read: () => Promise<string>,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path !== PATH) plain(response, 404, 'not found');
  else if (request.method !== 'GET') plain(response.setHeader('allow', 'GET'), 405, 'GET only');
  else response.setHeader('content-type', contentType).end(await read());
}

function plain(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

function listenError({ code }: NodeJS.ErrnoException): StartError {
  const reason = code === 'EADDRINUSE' ? 'the port is taken by another program' : String(code);
  return new StartError(`METRICS_HOST and METRICS_PORT can’t be listened on: ${reason}.`);
}
