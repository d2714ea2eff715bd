import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawResponse {
  /** 0 when the connection was closed without a response. */
  status: number;
  headers: Headers;
  /** Everything after the headers: also further responses, when several requests were sent. */
  text: string;
  /** The first response's body, if it is JSON. */
  body: any;
}

/**
 * Sends bytes unchanged, which no HTTP client would do, and reads until the
 * server closes the connection, or has upgraded it.
 *
 * @param lines request line and headers; `Host` and the blank line are added
 */
export async function sendRaw(base: string, lines: string[], body: string | Buffer = ''): Promise<RawResponse> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    // The server of an upgraded connection waits for its client to close.
    if (chunks.push(chunk) === 1 && chunk.toString('latin1').startsWith('HTTP/1.1 101 ')) socket.end();
  });
  // A server that rejects early resets the connection during the write.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(
    Buffer.concat([
      Buffer.from(`${[...lines.slice(0, 1), `Host: ${host}`, ...lines.slice(1)].join('\r\n')}\r\n\r\n`, 'latin1'),
      Buffer.from(body),
    ]),
  );
  await closed;
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(response: string): RawResponse {
  const end = response.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = response.slice(0, end === -1 ? 0 : end).split('\r\n');
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as [string, string]),
  );
  const text = response.slice(end + 4);
  const own = Buffer.from(text)
    .subarray(0, Number(headers.get('content-length') ?? 0))
    .toString();
  const isJson = own !== '' && headers.get('content-type')?.includes('json') === true;
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, text, body: isJson ? JSON.parse(own) : undefined };
}
