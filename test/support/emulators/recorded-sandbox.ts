import type { NextFunction, Request, Response } from 'express';
import { readUpload } from '../../../sandbox/google/drive-upload.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';
import type { LoadSandbox } from '../../../src/startup/open-sandbox.ts';

/** A request to the sandbox's APIs, with its response. */
export interface Exchange {
  part: 'workspace' | 'oauth' | 'bank';
  verb: string;
  /** Below the part's APIs, with the query. */
  url: string;
  type: string;
  /** Parsed JSON, of an upload its metadata; undefined: none. */
  body: unknown;
  status: number;
  /** Parsed JSON; undefined: none, or something else. */
  response: unknown;
}

const APIS = /^\/(?:(?<workspace>workspace)\/api|(?<oauth>workspace)(?=\/(?:token|revoke|userinfo)(?:\?|$))|(?<bank>bank))(?<path>\/.*)$/;

/** The sandbox, whose exchanges with everyone are added to a list as they end. */
export function recordedSandbox(exchanges: Exchange[]): LoadSandbox {
  return async (options) => {
    const sandbox = await createSandbox(options);
    return {
      ...sandbox,
      router(request: Request, response: Response, next: NextFunction) {
        const { path: url = '', ...parts } = APIS.exec(request.url)?.groups ?? {};
        const [part] = Object.entries(parts).find(([, found]) => found !== undefined) ?? [];
        if (part !== undefined) record({ part: part as Exchange['part'], url }, request, response, exchanges);
        sandbox.router(request, response, next);
      },
    };
  };
}

function record(about: Pick<Exchange, 'part' | 'url'>, request: Request, response: Response, exchanges: Exchange[]): void {
  const { method: verb, headers } = request;
  const type = headers['content-type'] ?? '';
  const end = response.end.bind(response);
  response.end = ((...given: Parameters<typeof end>) => {
    const [sent] = given;
    const isJson = String(response.getHeader('content-type')).startsWith('application/json');
    const answer = isJson && (typeof sent === 'string' || Buffer.isBuffer(sent)) ? JSON.parse(String(sent)) : undefined;
    exchanges.push({ ...about, verb, type, body: bodyOf(request, type), status: response.statusCode, response: answer });
    return end(...given);
  }) as typeof response.end;
}

/** The body that the sandbox's parsers have left on the request. */
function bodyOf({ body, query }: Request, type: string): unknown {
  return Buffer.isBuffer(body) ? readUpload(body, type, String(query.uploadType)).metadata : body;
}
