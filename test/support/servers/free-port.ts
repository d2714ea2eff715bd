import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the range from which the system assigns ports. */
const FIRST = 15_000;
const LAST = 31_999;
const BLOCK = 50;

/** Of the block of ports that is this process's own: those not given yet. */
let left: number[] = [];
/** It listens at the first port of its block, so that no other process of tests takes one of the others. */
const claims: Server[] = [];

/**
 * A port for a program that must be told one, or that stops and starts again. No test of another process is given it, in
 * this run or another, and the system does not assign it. Other servers listen on port 0 and say where.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    if (left.length === 0) left = await claimBlock();
    const port = left.shift() as number;
    const probe = await listenAt(port);
    if (probe === undefined) continue;
    const closed = once(probe, 'close');
    probe.close();
    await closed;
    return port;
  }
}

/** The ports of the first block that no process has claimed, but for the first, which is listened at until this process ends. */
async function claimBlock(): Promise<number[]> {
  for (let first = FIRST; first + BLOCK - 1 <= LAST; first += BLOCK) {
    const claim = await listenAt(first);
    if (claim === undefined) continue;
    claims.push(claim.unref());
    return Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index);
  }
  throw new Error(`no block of ports from ${FIRST} to ${LAST} is free`);
}

/** @returns undefined if another program listens there */
async function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
