import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import { EVENTS, type EventName } from '../../events/event-data.ts';
import { display, match } from '../../executor/display/display-schemas.ts';

const requestId = z.string().max(64).describe('Of the request; `""`: no request can be named.');
const source = {
  author: z.string().optional().describe('As the provider gives it.'),
  name: z.string().optional().describe('How people know it: a subject, a title.'),
  time: z.string().optional().describe('ISO 8601.'),
};

const anyObject = z.looseObject({}) as z.ZodType<object>;

const labels = z.object({
  integrity: z.enum(['own', 'others']).describe('`own`: the user’s text, which no one else can edit.'),
  confidentiality: z.enum(['private', 'financial']),
  sources: z.array(
    z.object({
      item: z.string().describe('Id at the provider.'),
      integrity: z.enum(['own', 'others']),
      ...source,
      fields: z.array(z.string()).optional().describe('What others wrote in it.'),
    }),
  ),
  more: z.int().optional().describe('Number of sources that are left out.'),
});

const callMeta = z.object({
  account: z.string().describe('Label.'),
  accountId: z.uuid(),
  ms: z.number(),
  labels: labels.optional(),
  truncated: z.literal(true).optional(),
  hint: z.string().optional().describe('What is left out and how to read on, if it is truncated.'),
  undo: z.object({ action: z.string(), input: anyObject, summary: z.string() }).optional(),
  edited: z.literal(true).optional().describe('The user changed the arguments before approving.'),
});

const callResult = z.object({ data: z.unknown(), meta: callMeta });

const account = z.object({
  id: z.uuid(),
  label: z.string(),
  masks: z.array(z.string()).optional().describe('The last digits of its accounts’ numbers.'),
  status: EVENTS['account.status'].shape.status,
  default: z.boolean(),
  readOnly: z.literal(true).optional(),
  missingScopes: z.array(z.string()).optional(),
});

const action = z.object({
  name: z.string(),
  tool: z.string().describe('Its name as a model’s tool.'),
  description: z.string(),
  effect: z.enum(['read', 'write', 'destructive']),
  approval: z.enum(['never', 'destructive', 'always']),
  input: anyObject.describe('JSON Schema, draft 7.'),
  output: anyObject.describe('JSON Schema, draft 7.'),
});

const agent = z.object({
  name: z.string(),
  description: z.string(),
  provider: z.string(),
  source: z
    .string()
    .optional()
    .describe('Of an agent that uses another server: its name in the integrations file, by which it is connected.'),
  status: z.enum(['ready', 'not_connected', 'needs_attention', 'not_configured']),
  accounts: z.array(account),
  actions: z.array(action),
});

const viewer = z.object({
  kind: z.enum(['person', 'group', 'domain', 'service', 'anyone', 'unknown']),
  address: z.string().optional(),
  domain: z.string().optional(),
  host: z.string().optional().describe('Of a `service`, another people’s server that receives the arguments.'),
  name: z.string().optional().describe('Of a `service`.'),
  relation: z.enum(['own', 'written_to', 'new']).optional(),
});

const provenance = z.object({ action: z.string(), ...source });

const approval = z.object({
  approvalId: z.uuid(),
  action: z.string(),
  account: z.string().describe('Label.'),
  accountId: z.uuid(),
  summary: z.string().describe('One line: what will happen.'),
  audience: z.array(viewer).describe('Who else sees the effect.'),
  notices: z.array(z.string()),
  provenance: z.array(provenance).describe('What others wrote and was read before.'),
  matches: z.array(match),
  display,
  input: z.unknown().describe('All arguments.'),
  url: z.url().describe('The page where the user decides.'),
  expiresAt: z.iso.datetime(),
  client: z
    .object({
      id: z.uuid(),
      name: z.string().describe('An app’s is what it calls itself.'),
      kind: z.enum(['personal_access_token', 'oauth']),
      host: z.string().nullable().describe('Of an app: the host that has confirmed where its redirects may go.'),
      redirectHost: z.string().nullable().describe('Of an app: the host to which its redirects go.'),
      about: z.string().nullable().describe('Of an app: where it is from, in sentences for its user.'),
    })
    .optional()
    .describe('Absent: the user’s own front end.'),
  thread: z.string().optional().describe('The conversation whose assistant asked.'),
  automation: z
    .object({ id: z.uuid(), name: z.string().optional(), askedAt: z.iso.datetime() })
    .optional()
    .describe('The automation of which a run asked; absent: the user was there.'),
});

const codes = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

const approvalOutcome = z.object({
  status: z.enum(['pending', 'denied', 'expired', 'ended', 'running', 'done', 'failed']),
  edited: z.literal(true).optional(),
  result: callResult.optional().describe('If done.'),
  error: z
    .object({ code: z.enum(codes), message: z.string() })
    .optional()
    .describe('If failed.'),
});

/** Parts of frames that have a name of their own in the AsyncAPI document. */
export const PARTS = {
  Labels: labels,
  CallMeta: callMeta,
  Account: account,
  Action: action,
  Agent: agent,
  Display: display,
  Approval: approval,
  ApprovalOutcome: approvalOutcome,
} as const;

const result = <Data extends z.ZodType>(data: Data) => z.object({ type: z.literal('result'), requestId, data, meta: callMeta.optional() });

/** The response to each frame that receives one `result`. */
export const RESULTS = {
  list: result(z.object({ revision: z.string(), agents: z.array(agent) })),
  call: result(z.unknown().describe('The output of the action.')),
  approvals: result(z.object({ approvals: z.array(approval) })),
  approve: result(z.unknown().describe('The output of the action; denied: `{"approved": false}`.')),
  approval_result: result(approvalOutcome),
  abort: result(z.object({ aborted: z.boolean() })),
} as const;

const event = <Name extends EventName>(name: Name) =>
  z.object({
    type: z.literal('event'),
    requestId: z.literal(''),
    seq: z.int().min(0).describe('The user’s events are numbered consecutively.'),
    at: z.iso.datetime().describe('When it was recorded, by the service’s clock.'),
    event: z.literal(name),
    data: EVENTS[name],
  });

export const EVENT_FRAMES = Object.fromEntries(Object.keys(EVENTS).map((name) => [name, event(name as EventName)])) as unknown as {
  [Name in EventName]: ReturnType<typeof event<Name>>;
};

/** What the service sends, besides `result` and `event`. */
export const SERVER_FRAMES = {
  ready: z.object({
    type: z.literal('ready'),
    requestId,
    protocol: z.literal('steward.v1'),
    uid: z.uuid().describe('The user’s id.'),
    revision: z.string().describe('Of the integrations in force.'),
    expiresAt: z.iso.datetime().describe('The socket closes then, unless it authenticates again.'),
    seq: z.int().min(0).describe('Of the user’s last event.'),
    maxBytes: z.int().describe('Largest frame that the service reads.'),
  }),
  error: z.object({
    type: z.literal('error'),
    requestId,
    errorText: z.string().describe('For people.'),
    error: z
      .looseObject({
        code: z.enum(codes),
        retryable: z.boolean().describe('The same frame may succeed later.'),
        retryAfter: z.number().optional().describe('Seconds.'),
        ...approval.partial().shape,
        choices: z
          .array(z.looseObject({ id: z.string(), label: z.string() }))
          .optional()
          .describe('The accounts to choose from.'),
        missingScopes: z.array(z.string()).optional(),
        deniedUntil: z.string().optional().describe('The user has denied this call; ISO 8601.'),
      })
      .describe('For programs. `approval_required` has the fields of an Approval; other errors have some of them, or others.'),
  }),
  progress: z.object({ type: z.literal('progress'), requestId, ms: z.number(), message: z.string().optional() }),
  start: z.object({ type: z.literal('start'), requestId }),
  chunk: z.object({
    type: z.literal('chunk'),
    requestId,
    sequence: z.int().min(0).describe('From 0, without gaps.'),
    chunk: z.looseObject({ type: z.string() }).describe('A UIMessageChunk of the AI SDK.'),
  }),
  end: z.object({ type: z.literal('end'), requestId }),
  'no-active': z.object({ type: z.literal('no-active'), requestId }),
} as const;

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
type ResultName = keyof typeof RESULTS;
type ResultFrame = z.output<(typeof RESULTS)[ResultName]>;
type EventFrame = { [Name in EventName]: z.output<(typeof EVENT_FRAMES)[Name]> }[EventName];
type OtherFrame = { [Type in keyof typeof SERVER_FRAMES]: z.output<(typeof SERVER_FRAMES)[Type]> }[keyof typeof SERVER_FRAMES];

/** Any frame that the service sends. */
export type ServerFrame = Frozen<ResultFrame | EventFrame | OtherFrame>;
/** What the response to a frame holds. */
export type ResultOf<Type extends ResultName> = Frozen<Pick<z.output<(typeof RESULTS)[Type]>, 'data' | 'meta'>>;
