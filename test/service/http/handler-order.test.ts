import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { extendResponses } from '../../../src/http/messages.ts';
import { inOrder } from '../../../src/http/route-table.ts';

const failure = new Error('failed');
const later: RequestHandler = async (_request, response, next) => {
  next();
  await once(response, 'close');
  throw failure;
};

/** How handlers fail, and further uses of a response that depend on Express or on Node. */
const HANDLERS: Record<string, RequestHandler[]> = {
  'throws an error': [
    () => {
      throw failure;
    },
  ],
  'is rejected': [() => Promise.reject(failure)],
  'is rejected without a reason': [() => Promise.reject()],
  'passes an error on': [(_request, _response, next) => next(failure)],
  'passes no error on': [(_request, _response, next) => next(0), (_request, _response, next) => next()],
  'continues twice': [
    (_request, _response, next) => {
      next();
      next();
    },
  ],
  'continues, and throws': [
    (_request, _response, next) => {
      next();
      throw failure;
    },
  ],
  'continues, and is rejected': [later],
  'throws within a body': [
    (_request, response) => {
      response.write('part');
      throw failure;
    },
  ],
  'throws after its headers': [
    (_request, response) => {
      response.writeHead(201, { 'x-own': 'own' });
      throw failure;
    },
  ],
  'sets a header that is invalid': [(_request, response) => void response.writeHead(200, { 'x-own': 'a\nb' })],
  'replaces a header': [(_request, response) => void response.writeHead(200, ['X-Default', 'own', 'x-own', '1', 'x-own', '2']).end('own')],
  'sends no body': [(_request, response) => void response.status(204).end()],
};

/** Answers requests to /n with the nth of the handlers. */
async function answersOf(ofOne: (handlers: RequestHandler[]) => RequestHandler[], setDefault: RequestHandler) {
  const events: string[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  const app = express().disable('x-powered-by').disable('etag').set('env', 'test');
  const last: RequestHandler = (_request, response) => {
    events.push('last');
    if (!response.headersSent) response.end('last');
  };
  app.use((_request, response, next) => {
    closed = once(response, 'close');
    next();
  });
  for (const [index, handlers] of Object.values(HANDLERS).entries()) app.use(`/${index}`, ...ofOne([setDefault, ...handlers, last]));
  app.use((_request, response) => {
    events.push('not found');
    if (!response.headersSent) response.status(404).end();
  });
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    events.push(`error: ${error === failure}`);
    if (response.headersSent) next(error);
    else response.status(500).end('error');
  });
  extendResponses(app, systemClock);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answers: Record<string, unknown> = {};
  for (const [index, name] of Object.keys(HANDLERS).entries()) {
    events.length = 0;
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${index}`).catch(() => undefined);
    const body = await response?.text().catch(() => 'cut off');
    await closed;
    // What a handler does after the response.
    await nextTurn();
    const headers = [...(response?.headers ?? [])].filter(([header]) => header.startsWith('x-'));
    answers[name] = { status: response?.status, headers, body, events: [...events] };
  }
  server.closeAllConnections();
  server.close();
  return answers;
}

describe('handlers that run as one layer', () => {
  it('do what they do as layers of Express', async () => {
    const express = await answersOf(
      (handlers) => handlers,
      (_request, response, next) => {
        response.setHeader('x-default', 'default');
        next();
      },
    );
    const own = await answersOf(
      (handlers) => [inOrder(...handlers)],
      (_request, response, next) => {
        response.defaultHeaders = ['x-default', 'default'];
        next();
      },
    );
    expect(own).toEqual(express);
    expect(Object.values(own)).toHaveLength(Object.keys(HANDLERS).length);
  });
});
