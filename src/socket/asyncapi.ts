import { z } from 'zod';
import { BUILT_INS } from '../actions/built-ins.ts';
import { EVENTS } from '../events/event-data.ts';
import { FRAMES } from './frames/frames.ts';
import { EVENT_FRAMES, PARTS, RESULTS, SERVER_FRAMES } from './frames/server-frames.ts';

type Schema = Record<string, unknown>;
type FrameType = keyof typeof FRAMES;

/** What the service sends in response to each frame: names of messages. */
const REPLIES: Record<FrameType, readonly string[]> = {
  authenticate: ['ready', 'error'],
  list: ['list_result', 'error'],
  call: ['progress', 'call_result', 'error'],
  approvals: ['approvals_result', 'error'],
  approve: ['progress', 'approve_result', 'error'],
  approval_result: ['approval_result_result', 'error'],
  abort: ['abort_result', 'error'],
  send: ['start', 'chunk', 'end', 'error'],
  resume: ['start', 'chunk', 'end', 'no-active', 'error'],
};

const SUMMARIES: Record<FrameType, string> = {
  authenticate: 'Sign in, or renew the sign-in with a new token of the same user',
  list: 'The agents with their accounts and actions',
  call: 'Run an action',
  approvals: 'Pending approvals',
  approve: 'Decide on an approval',
  approval_result: 'How an approval ended',
  abort: 'Abort a request',
  send: 'Send a message to the assistant (WebSocketChatTransport of the AI SDK)',
  resume: 'Receive the rest of the assistant’s answer after a lost connection',
};

const CHANNEL = '#/channels/ws';

/**
 * Describes the WebSocket as an AsyncAPI 3.1 document: frames, events, and the built-in actions' inputs and outputs.
 * Schemas are those by which frames are checked and typed.
 *
 * @param options.publicUrl the server's address, without a trailing slash
 * @param options.version the service's own version
 */
export async function asyncApiDocument(options: { publicUrl: string; version: string }): Promise<object> {
  const { protocol, host } = new URL(options.publicUrl);
  const frames = messages();
  const actions = await actionSchemas();
  const server = { host, protocol: protocol === 'https:' ? 'wss' : 'ws' };
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Steward',
      version: options.version,
      description: 'The WebSocket interface, steward.v1. Clients ignore frames and fields that they do not know.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { steward: server },
    channels: {
      ws: {
        address: '/ws',
        description: 'One JSON object in each text frame.',
        messages: Object.fromEntries(Object.keys(frames).map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: operations(),
    components: {
      correlationIds: { requestId: { location: '$message.payload#/requestId' } },
      messages: Object.fromEntries(Object.entries(frames).map(([name, { title }]) => [name, message(name, title)])),
      schemas: { ...frameSchemas(frames), ...actions.schemas },
    },
    'x-actions': actions.index,
  };
}

/** Every message by name, with the name of its schema; the event's schema is the choice of all events. */
function messages(): Record<string, { title: string; schema?: z.ZodType }> {
  const entry = (name: string, schema: z.ZodType) => [name, { title: `${pascal(name)}Frame`, schema }] as const;
  return {
    ...Object.fromEntries(Object.entries(FRAMES).map(([type, schema]) => entry(type, schema))),
    ...Object.fromEntries(Object.entries(RESULTS).map(([type, schema]) => entry(`${type}_result`, schema))),
    ...Object.fromEntries(Object.entries(SERVER_FRAMES).map(([type, schema]) => entry(type, schema))),
    event: { title: 'EventFrame' },
  };
}

function message(name: string, title: string): object {
  return {
    name,
    correlationId: { $ref: '#/components/correlationIds/requestId' },
    payload: { $ref: `#/components/schemas/${title}` },
  };
}

function operations(): Record<string, object> {
  const channel = { $ref: CHANNEL };
  const refs = (names: readonly string[]) => names.map((name) => ({ $ref: `${CHANNEL}/messages/${name}` }));
  const requests = Object.keys(FRAMES).map((name) => {
    const type = name as FrameType;
    const reply = { channel, messages: refs(REPLIES[type]) };
    return [type, { action: 'receive', channel, summary: SUMMARIES[type], messages: refs([type]), reply }];
  });
  const event = { action: 'send', channel, summary: 'Something of the user’s has changed', messages: refs(['event']) };
  return { ...Object.fromEntries(requests), event };
}

function frameSchemas(frames: ReturnType<typeof messages>): Record<string, Schema> {
  const named = new Map<string, string>();
  const schemas: Record<string, Schema> = {};
  // Inner parts come first, so that the parts around them already refer to them.
  for (const [name, part] of Object.entries(PARTS)) {
    const plain = jsonSchema(part);
    schemas[name] = withNames(plain, named) as Schema;
    named.set(JSON.stringify(schemas[name]), name);
  }
  for (const { title, schema } of Object.values(frames)) {
    if (schema !== undefined) schemas[title] = withNames(jsonSchema(schema), named) as Schema;
  }
  const events = Object.entries(EVENT_FRAMES).map(([name, schema]) => [`${pascal(name)}Event`, jsonSchema(schema)] as const);
  const description = EVENTS_DESCRIPTION;
  schemas.EventFrame = { description, oneOf: events.map(([name]) => ({ $ref: reference(name) })) };
  return { ...schemas, ...Object.fromEntries(events) };
}

const EVENTS_DESCRIPTION = `One of ${Object.keys(EVENTS).length} events; more may be added.`;

/** Parts that have a name are replaced by references, from the innermost outwards. */
function withNames(schema: unknown, named: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withNames(each, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNames(value, named)]));
  const name = named.get(JSON.stringify(inner));
  return name === undefined ? inner : { $ref: reference(name) };
}

/** Inputs and outputs as schemas of their own, and where they are. */
async function actionSchemas(): Promise<{ schemas: Record<string, Schema>; index: Record<string, object> }> {
  const schemas: Record<string, Schema> = {};
  const index: Record<string, object> = {};
  for (const { name, effect, description, schemas: load } of BUILT_INS.values()) {
    const { input, output } = await load();
    schemas[`${name}.input`] = withoutDialect(input);
    schemas[`${name}.output`] = withoutDialect(output);
    index[name] = { description, effect, input: { $ref: reference(`${name}.input`) }, output: { $ref: reference(`${name}.output`) } };
  }
  return { schemas, index };
}

/** As a client writes it: what may be left out is optional. Without ids, whose references would point outside of the document. */
function jsonSchema(schema: z.ZodType): Schema {
  return withoutDialect(
    z.toJSONSchema(schema, {
      target: 'draft-7',
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema: made }) => {
        if (zodSchema._zod.def.type === 'custom') made.type = 'object';
        // A format says more than zod's pattern of several hundred characters.
        if (made.format !== undefined) delete made.pattern;
      },
    }),
  );
}

function withoutDialect(schema: object): Schema {
  const { $schema: _, ...rest } = schema as Schema;
  return rest;
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** `approval.requested` → `ApprovalRequested`. */
function pascal(name: string): string {
  return name.replace(/(?:^|[^a-z])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
