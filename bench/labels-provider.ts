// The provider of (k): a workspace API on loopback that answers a list of labels of 1 kB from memory.
import { createServer } from 'node:http';

const SYSTEM = ['INBOX', 'SENT', 'DRAFT', 'TRASH', 'SPAM', 'STARRED', 'IMPORTANT', 'UNREAD', 'CHAT'];
const OWN = ['Receipts', 'Travel', 'Family', 'Newsletters', 'To read', 'Invoices'];
const LABELS = Buffer.from(
  JSON.stringify({
    labels: [
      ...SYSTEM.map((name) => ({ id: name, name, type: 'system' })),
      ...OWN.map((name, index) => ({ id: `Label_${7_304_129_881_523_000 + index}`, name, type: 'user' })),
    ],
  }),
);
const HEADERS = { 'content-type': 'application/json; charset=UTF-8', vary: 'Origin, X-Origin, Referer', 'cache-control': 'private' };

const server = createServer((request, response) => {
  const isAsked = request.url?.startsWith('/gmail/v1/users/me/labels') && request.headers.authorization?.startsWith('Bearer ');
  if (request.url === '/health/ready') response.writeHead(200).end();
  else if (isAsked) response.writeHead(200, { ...HEADERS, 'content-length': LABELS.length }).end(LABELS);
  else response.writeHead(401).end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
