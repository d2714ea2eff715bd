// The model of (j): an OpenAI-compatible server whose answers take a fixed time. The model's name says which:
// `<milliseconds before the first token>-<tokens>-<milliseconds between them>`. Started as plain JavaScript, like a reference.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench' };
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

const event = (choices: object[], more: object = {}) => `data: ${JSON.stringify({ ...HEAD, choices, ...more })}\n\n`;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/health/ready') return void response.end('{}');
  const { model } = JSON.parse(await text(request)) as { model: string };
  const [firstMs = 0, tokens = 1, everyMs = 0] = model.split('-').map(Number);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const start = performance.now();
  for (let index = 0; index < tokens && !response.destroyed; index += 1) {
    // From the start, so that late timers don't make the answer longer.
    const dueMs = start + firstMs + index * everyMs - performance.now();
    if (dueMs > 0) await sleep(dueMs);
    response.write(event([{ index: 0, delta: { role: 'assistant', content: `token ${index} ` }, finish_reason: null }]));
  }
  response.write(event([{ index: 0, delta: {}, finish_reason: 'stop' }]));
  response.end(`${event([], { usage: USAGE })}data: [DONE]\n\n`);
}

createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
