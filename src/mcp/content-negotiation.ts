import { isObject } from '../validation/is-object.ts';
import { rejected } from './single-message.ts';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
/** What the SDK requires of every client. */
const BOTH_TYPES = `${JSON_TYPE}, ${EVENTS_TYPE}`;
/** Codes of JSON-RPC 2.0, 5.1, and of its implementations. */
const INTERNAL_ERROR = -32_603;
const NOT_ACCEPTABLE = -32_000;

/**
 * Serves a message in a type that its client takes. Revisions of the protocol ask clients to take JSON and events; here, one
 * of both is enough, and a client that says nothing takes each (RFC 9110, 12.5.1).
 *
 * @param onlyEvents whether the response can be nothing but a stream
 * @returns 406 when the client takes neither
 */
export async function negotiated(request: Request, onlyEvents: boolean, serve: () => Promise<Response>): Promise<Response> {
  const accept = request.headers.get('accept') ?? '';
  const [json, events] = [isAccepted(JSON_TYPE, accept), isAccepted(EVENTS_TYPE, accept)];
  if (!events && (!json || onlyEvents)) return rejected(NOT_ACCEPTABLE, `Accept ${onlyEvents ? EVENTS_TYPE : BOTH_TYPES}.`, 406);
  request.headers.set('accept', BOTH_TYPES);
  const response = await serve();
  if (!events && response.headers.get('content-type')?.startsWith(EVENTS_TYPE)) return responseIn(response);
  if (!json && response.status === 200 && response.headers.get('content-type')?.startsWith(JSON_TYPE)) return asEvent(response);
  return response;
}

/** Whether an Accept header admits a type: its most specific range decides (RFC 9110, 12.5.1). Parameters are of no matter here. */
export function isAccepted(type: string, accept: string): boolean {
  // Quoted values may contain commas.
  const ranges = accept
    .toLowerCase()
    .replace(/"[^"]*"/g, '')
    .split(',')
    .map(rangeOf)
    .filter(({ name }) => name !== '');
  if (ranges.length === 0) return true;
  const specific = [type, type.replace(/\/.*/, '/*'), '*/*'].map((name) => ranges.filter((range) => range.name === name));
  return specific.find((found) => found.length > 0)?.some(({ excluded }) => !excluded) ?? false;
}

function rangeOf(range: string): { name: string; excluded: boolean } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  // Older clients write `*` for any type, as servers have long taken it.
  return { name: name === '*' ? '*/*' : name, excluded: parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter)) };
}

/** The response in a stream of events; other messages only tell of progress. The SDK writes JSON in one line. */
async function responseIn(stream: Response): Promise<Response> {
  const lines = (await stream.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const found = lines.map((line) => line.slice('data: '.length)).findLast(isResponse);
  if (found === undefined) return rejected(INTERNAL_ERROR, 'There was no response.', 500);
  return new Response(found, { headers: { 'content-type': JSON_TYPE } });
}

/** Whether a message is the response to a request (JSON-RPC 2.0, 5). */
function isResponse(json: string): boolean {
  const message: unknown = JSON.parse(json);
  return isObject(message) && ('result' in message || 'error' in message);
}

/** The same response as a stream of one event. The SDK writes JSON in one line. */
async function asEvent(response: Response): Promise<Response> {
  return new Response(`event: message\ndata: ${await response.text()}\n\n`, { headers: { 'content-type': EVENTS_TYPE } });
}
