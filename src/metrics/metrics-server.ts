import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsSettings } from '../config/config.ts';
import { StartRefused } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';

const PATH = '/metrics';
/** It is for a handful of scrapers; slow or silent connections are cut. */
const CONNECTIONS_MAX = 50;
const REQUEST_MS = 5_000;
const ANSWER_MS = 15_000;
const HEADER_BYTES = 8_192;

export interface MetricsServer {
  /** Where it listens. */
  address: string;
  close(): Promise<void>;
}

/**
 * A listener for metrics alone, apart from the public one.
 *
 * @param read the text of a scrape; scrapes at the same time share one
 * @throws StartRefused when it can't listen there
 */
export async function startMetricsServer(
  { host, port }: MetricsSettings,
  contentType: string,
  read: () => Promise<string>,
  logger: Logger,
): Promise<MetricsServer> {
  let reading: Promise<string> | undefined;
  const shared = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response, contentType, shared).catch((error: unknown) => {
        logger.error({ err: describeError(error) }, 'metrics could not be read');
        plain(response, 500, 'metrics could not be read');
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.setTimeout(ANSWER_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refused(error)));
    server.listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}${PATH}`,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Scrapers keep their connections; an answer under way is a matter of milliseconds, and nobody's loss.
      server.closeAllConnections();
      return closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, contentType: string, read: () => Promise<string>): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path !== PATH) plain(response, 404, 'not found');
  else if (request.method !== 'GET') plain(response.setHeader('allow', 'GET'), 405, 'GET only');
  else response.setHeader('content-type', contentType).end(await read());
}

function plain(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

function refused({ code }: NodeJS.ErrnoException): StartRefused {
  const reason = code === 'EADDRINUSE' ? 'the port is taken by another program' : String(code);
  return new StartRefused(`METRICS_HOST and METRICS_PORT can’t be listened on: ${reason}.`);
}
