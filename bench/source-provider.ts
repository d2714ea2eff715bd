// The source of (k): an MCP server (2026-07-28) on loopback with one tool, which answers a list of tickets of 1 kB from memory.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Message {
  id?: number;
  method: string;
}

const TITLES = ['Export fails', 'Wrong total', 'Slow search', 'Login loops', 'Missing mail', 'Broken link', 'Empty page', 'Lost draft'];
const TICKETS = TITLES.map((title, index) => ({ id: index + 1, title, state: 'open', by: `customer-${index}@example.com`, votes: index }));
const DISCOVERED = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
const TOOL = {
  name: 'find_tickets',
  description: 'Finds tickets.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true },
};
const FOUND = { content: [{ type: 'text', text: JSON.stringify({ tickets: TICKETS }) }], structuredContent: { tickets: TICKETS } };

const RESULTS: Record<string, object> = {
  'server/discover': DISCOVERED,
  'tools/list': { tools: [TOOL], ttlMs: 3_600_000, cacheScope: 'private' },
  'tools/call': FOUND,
};

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/health/ready') return void response.writeHead(200).end();
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...RESULTS[method] } });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

const server = createServer((request, response) => void respond(request, response));
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
