// The load's own process for (g) and (h): raw sockets and prepared frames, so that the client costs a fraction of any server it measures.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** The parent's request: `load` keeps one message in progress on each socket (of several first messages, sockets send them in turn); `open` leaves them open; `close` closes them. */
export type SocketOrder =
  | { kind: 'load'; port: number; hello: string | readonly string[]; message: string; sockets: number; durationMs: number }
  | { kind: 'open'; port: number; hellos: string[] }
  | { kind: 'close' };

export interface SocketResult {
  answers: number;
  elapsedMs: number;
  /** Processor time of the client itself. */
  cpuMs: number;
}

const HANDSHAKE = [
  'GET /ws HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  '\r\n',
].join('\r\n');
const TEXT = 0x81;
const PING = 0x89;
/** Masked and empty, like the pings. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** Concurrent handshakes. */
const AT_A_TIME = 50;

/** A client's text frame (RFC 6455, 5.2), masked with zeros: the payload is unchanged, and the server still unmasks it. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** Bytes of the frame that a buffer begins with, 0 while it is incomplete. */
function completeLength(buffer: Buffer): number {
  const short = (buffer[1] ?? 0) & 0x7f;
  const head = short < 126 ? 2 : 4;
  if (buffer.length < head) return 0;
  if (short === 127 || (buffer[0] !== TEXT && buffer[0] !== PING))
    throw new Error(`unexpected frame ${buffer.subarray(0, 200).toString('latin1')}`);
  const length = head + (short === 126 ? buffer.readUInt16BE(2) : short);
  return buffer.length < length ? 0 : length;
}

/** An open socket after its first message; `answered` is called for every later response. */
function open(port: number, hello: string): Promise<{ socket: Socket; answered: (listener: (text: Buffer) => void) => void }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let pending: Buffer = Buffer.alloc(0);
    let listener = (_answer: Buffer) => resolve({ socket, answered: (next) => (listener = next) });
    let upgraded = false;
    socket.write(HANDSHAKE);
    socket.on('error', reject).on('close', () => reject(new Error('the server closed a socket')));
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      if (!upgraded) {
        const end = pending.indexOf('\r\n\r\n');
        if (end === -1) return;
        upgraded = true;
        pending = pending.subarray(end + 4);
        socket.write(frame(hello));
      }
      for (let length = completeLength(pending); length > 0; length = completeLength(pending)) {
        const response = pending.subarray(0, length);
        pending = pending.subarray(length);
        if (response[0] === PING) socket.write(PONG);
        else listener(response);
        if (pending.length === 0) break;
      }
    });
  });
}

async function openAll(port: number, hellos: readonly string[]): Promise<Awaited<ReturnType<typeof open>>[]> {
  const opened: Awaited<ReturnType<typeof open>>[] = [];
  for (let start = 0; start < hellos.length; start += AT_A_TIME) {
    opened.push(...(await Promise.all(hellos.slice(start, start + AT_A_TIME).map((hello) => open(port, hello)))));
  }
  return opened;
}

async function load({ port, hello, message, sockets, durationMs }: Extract<SocketOrder, { kind: 'load' }>): Promise<SocketResult> {
  const hellos = [hello].flat();
  const lanes = await openAll(
    port,
    Array.from({ length: sockets }, (_, index) => hellos[index % hellos.length] as string),
  );
  const bytes = frame(message);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let responses = 0;
  const runLane = ({ socket, answered }: (typeof lanes)[number]) =>
    new Promise<void>((resolve, reject) => {
      answered((response) => {
        if (response.includes('"type":"error"')) return reject(new Error(response.toString()));
        if (response.includes('"type":"progress"')) return;
        responses += 1;
        if (performance.now() - start < durationMs) socket.write(bytes);
        else resolve();
      });
      socket.write(bytes);
    });
  await Promise.all(lanes.map(runLane));
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  for (const { socket } of lanes) socket.destroy();
  return { answers: responses, elapsedMs, cpuMs: (user + system) / 1000 };
}

let held: Socket[] = [];

async function follow(order: SocketOrder): Promise<SocketResult> {
  if (order.kind === 'load') return load(order);
  const start = performance.now();
  if (order.kind === 'open') held = (await openAll(order.port, order.hellos)).map(({ socket }) => socket);
  else {
    for (const socket of held) socket.destroy();
    held = [];
  }
  return { answers: held.length, elapsedMs: performance.now() - start, cpuMs: 0 };
}

process.on('message', (order: SocketOrder) => {
  follow(order).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
