import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** With the port. */
  address: string;
  /** Names that it was asked for. */
  asked: string[];
  stop(): void;
}

/** A name server with IPv4 addresses of some names. Of others it knows that there are none; it never answers to `silent.…`. */
export async function startNameServer(addresses: Record<string, string>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, isIPv4, end } = questionOf(query);
    asked.push(name);
    if (!name.startsWith('silent.')) socket.send(answerTo(query.subarray(0, end), isIPv4 ? addresses[name] : undefined), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, stop: () => void socket.close() };
}

/** The one question of a message (RFC 1035, 4.1.2). */
function questionOf(query: Buffer): { name: string; isIPv4: boolean; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), isIPv4: query.readUInt16BE(at + 1) === 1, end: at + 5 };
}

/** @param query header and question @param address undefined: there is none (RFC 1035, 4.1.1 and 4.1.3) */
function answerTo(query: Buffer, address: string | undefined): Buffer {
  const header = Buffer.from(query);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  header.fill(0, 8, 12);
  if (address === undefined) return header;
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([header, record]);
}
