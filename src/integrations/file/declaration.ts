import { z } from 'zod';
import type { AgentNeeds, ProviderDescriptor } from '../../providers/shared/provider.ts';
import { DURATION, RATE, SIZE } from './declaration-quantities.ts';
import { SOURCE_PROVIDER, SOURCE_TOOL_MAX_LENGTH, type SourceDeclaration, sourceDeclaration, TOOL_HASH } from './source-declaration.ts';

/** The integrations file's format. Editors show its descriptions, so each is complete in itself. */

const approval = z.enum(['never', 'destructive', 'always'], 'must be never, destructive or always').meta({
  description:
    'When the user is asked first: never; before actions whose effect is destructive; or always. A destructive action asks whatever is said here.',
});
const tainted = z.enum(['ask', 'deny'], 'must be ask or deny').meta({
  description:
    'What happens to a call that other people see, or that deletes, within an hour of reading text that others wrote: the user is asked first, whatever approval says, or it is denied.',
});
const financial = z.enum(['ask', 'deny'], 'must be ask or deny').meta({
  description:
    'What happens to a call by the user in person that other people see, within an hour of reading a bank’s data: the user is asked first, or it is denied unless only the user and those on the action’s allow-list see it. For tokens, connected apps and the assistant, it is always denied.',
});
const TIMEOUT_FORM = 'must be whole seconds from 1s to 60s';
const timeout = z
  .string(TIMEOUT_FORM)
  .regex(DURATION, TIMEOUT_FORM)
  .meta({
    description: 'Longest a call may take, in whole seconds from 1s to 60s. A built-in action can only be given less than its own.',
    examples: ['30s'],
  });
const RATE_FORM = 'must be a number of calls per sec, min, hour or day, such as 60/min';
const rate = z
  .string(RATE_FORM)
  .regex(RATE, RATE_FORM)
  .meta({
    description: 'Calls of one user: a number per sec, min, hour or day.',
    examples: ['60/min', '20/hour'],
  });
const defaultPolicy = z
  .strictObject({
    approval: approval.optional(),
    tainted: tainted.optional(),
    financial: financial.optional(),
    timeout: timeout.optional(),
    rate: rate.optional(),
  })
  .meta({
    description:
      'For every action that says nothing else. Left out: approval destructive, tainted ask, financial ask, timeout 30s, rate 60/min.',
  });

const pattern = z.string().min(1, 'must not be empty').max(254, 'must have at most 254 characters');
const policy = z
  .strictObject({
    ...defaultPolicy.shape,
    allow: z
      .record(
        z.string(),
        z
          .array(pattern, 'must be a list of patterns, such as ["*@example.com"]')
          .min(1, 'must not be empty')
          .max(200, 'must have at most 200 patterns'),
      )
      .optional()
      .meta({
        description:
          'Allow-lists by name: every value of this name in a call must match one of the patterns; * stands for anything. For mail.send, `to` is every recipient, cc and bcc included.',
        examples: [{ to: ['*@example.com'] }],
      }),
    enabled: z.boolean().optional().meta({ description: 'false: the action cannot be called.' }),
    mask: z.boolean().optional().meta({ description: 'Of bank.numbers only. false: account and routing numbers are shown whole.' }),
  })
  .meta({ description: 'What is allowed of this action.' });

const description = z.string().min(1, 'must not be empty').max(500, 'must have at most 500 characters');
const CAP_FORM = 'must be a number of kB or MB, such as 20kB';
const cap = z
  .string(CAP_FORM)
  .regex(SIZE, CAP_FORM)
  .meta({
    description:
      'Largest response, in kB or MB; what is longer is cut. At most 1MB; a built-in action can only be given less than its own.',
    examples: ['20kB'],
  });

/** Of an unknown key: the other form's own is no misspelling. */
const usesAndCalls: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidType | z.core.$ZodIssueUnrecognizedKeys> = ({ code, input }) => {
  const { use, call } = (input ?? {}) as { use?: unknown; call?: unknown };
  if (code !== 'unrecognized_keys' || use === undefined || call === undefined) return undefined;
  return 'has both use and call: an action is either a built-in one or a method';
};
const useAction = z
  .strictObject(
    {
      use: z
        .string('must be the name of a built-in action (or use call, with a method)')
        .max(100, 'must have at most 100 characters')
        .meta({ description: 'A built-in action of the same provider.', examples: ['mail.search'] }),
      description: description.optional().meta({ description: 'Says in place of the built-in text what the action is for.' }),
      policy: policy.optional(),
      cap: cap.optional(),
    },
    { error: usesAndCalls },
  )
  .meta({ description: 'A built-in action.' });

/** Replaced by a `$ref` to JSON Schema in the published schema; see scripts/generate/integrations-schema.ts. */
export const inputDeclaration = z.record(z.string(), z.unknown()).meta({
  description: 'JSON Schema (draft 7) of what a caller passes: an object whose properties `with` refers to as $input.<name>.',
});

const callAction = z
  .strictObject(
    {
      call: z
        .string()
        .max(100, 'must have at most 100 characters')
        .meta({
          description: 'The method: a discovery id of the workspace provider, or a path of the bank’s.',
          examples: ['sheets.spreadsheets.values.get', 'transactions/get'],
        }),
      description: description.meta({ description: 'What the action is for, in words that help to choose it.' }),
      effect: z.enum(['read', 'write', 'destructive'], 'must be read, write or destructive').meta({
        description: 'What it does to the world. The method sets the least; more may be said.',
      }),
      input: inputDeclaration.optional(),
      with: z.record(z.string(), z.unknown()).optional().meta({
        description: 'The method’s own parameters and body fields: fixed values, or $input.<name>, also inside lists and objects.',
      }),
      project: z
        .string()
        .min(1, 'must not be empty')
        .max(2_000, 'must have at most 2000 characters')
        .optional()
        .meta({ description: 'A JMESPath expression over the response: what of it is given back.' }),
      policy: policy.optional(),
      cap: cap.optional(),
    },
    { error: usesAndCalls },
  )
  .meta({ description: 'A method of the provider, called as declared here.' });

export const toolAction = z
  .strictObject({
    tool: z
      .string()
      .min(1, 'must not be empty')
      .max(SOURCE_TOOL_MAX_LENGTH, `must have at most ${SOURCE_TOOL_MAX_LENGTH} characters`)
      .meta({ description: 'The tool, by its name at the server.', examples: ['search_tickets'] }),
    description: description.optional().meta({ description: 'Says in place of the server’s text what the action is for.' }),
    effect: z.enum(['read', 'write', 'destructive'], 'must be read, write or destructive').meta({
      description: 'What it does to the world, in your judgement. What the server says of the tool can only make it stricter.',
    }),
    with: z.record(z.string(), z.unknown()).optional().meta({
      description: 'Arguments with fixed values, which no caller can pass: several actions can be made of one tool.',
    }),
    dispatches: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters').optional().meta({
      description:
        'The argument that names what the tool really does. Fix it in `with` to make an action of one of these; otherwise the effect is destructive, and each call asks.',
    }),
    hash: z
      .string()
      .regex(TOOL_HASH, 'must be tool.v1: and 64 hexadecimal digits, as `npm run integrations -- discover` prints it')
      .optional()
      .meta({
        description: 'The hash of the definition that may be called, whatever users decide. Left out: each user decides on changes.',
      }),
    results: z.enum(['others', 'own'], 'must be others or own').optional().meta({
      description: 'own: its results hold only what the user wrote. For sources with trust: operator. Left out: others.',
    }),
    policy: policy.optional(),
    cap: cap.optional(),
  })
  .meta({ description: 'A tool of the agent’s source.' });

const lowerCaseName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a name of lower-case letters, digits, - and _');
export const actionDeclaration = z.union([useAction, callAction]);
const actions = z.record(lowerCaseName, actionDeclaration).optional().meta({
  description:
    'The actions of this agent, by name; callers use agent.name. Left out: every built-in action that has the agent’s name before its dot and is covered by its scopes.',
});

const toolActions = z.record(lowerCaseName, toolAction).meta({
  description: 'The actions of this agent, by name; callers use agent.name. A tool that no action names can’t be called.',
});

const agentDescription = description.meta({ description: 'What the agent is for.' });

export const defaultsDeclaration = z.strictObject({ policy: defaultPolicy.optional() }).optional();

/** The format's schemas, which depend on the providers that agents may name. */
export function createDeclarations(providers: readonly ProviderDescriptor[]) {
  const agent = agentDeclaration(providers);
  const agents = z.record(lowerCaseName, agent);
  const sources = z.record(lowerCaseName, sourceDeclaration);
  const document = z.strictObject({
    version: z
      .literal(1, { error: ({ input }) => (input === '1' ? 'must be 1, without quotes' : 'must be 1') })
      .meta({ description: 'Version of this format.' }),
    defaults: defaultsDeclaration.meta({ description: 'For all actions.' }),
    sources: sources.optional().meta({ description: 'Servers of the Model Context Protocol that agents may use, by name.' }),
    agents: agents.meta({ description: 'What agents can do, by the agent’s name.' }),
  });
  return {
    /** The whole file. */
    document: document as unknown as z.ZodType<IntegrationsDocument>,
    agents: agents as unknown as z.ZodType<IntegrationsDocument['agents']>,
    sources,
    /** Every key of the format. */
    keys: [document, sourceDeclaration, useAction, callAction, toolAction, policy, ...agent.options].flatMap(({ shape }) =>
      Object.keys(shape),
    ),
  };
}

function agentDeclaration(providers: readonly ProviderDescriptor[]) {
  const own = providers.filter(({ name }) => name !== SOURCE_PROVIDER);
  const names = `${own.map(({ name }) => name).join(', ')} or ${SOURCE_PROVIDER}`;
  const providerOf = (name: string) => z.literal(name).meta({ description: `Whose accounts it works with: ${names}.` });
  const options = own.map(({ name, needs, hasAccounts = true }) =>
    z.strictObject({
      provider: providerOf(name),
      description: agentDescription,
      ...(hasAccounts && { [needs.key]: needsDeclaration(needs).meta({ description: 'The most its actions may use.' }) }),
      actions,
    }),
  );
  const ofSource = z.strictObject({
    provider: providerOf(SOURCE_PROVIDER),
    source: z.string().max(100, 'must have at most 100 characters').meta({ description: 'One of `sources`, by its name.' }),
    description: agentDescription,
    actions: toolActions,
  });
  return z.discriminatedUnion('provider', [ofSource as z.ZodObject, ...options], {
    error: (issue) => (issue.code === 'invalid_union' ? `must be ${names}` : undefined),
  });
}

/** The scopes or products of an agent. */
export function needsDeclaration({ schema }: AgentNeeds) {
  return z
    .array(schema)
    .min(1, 'must not be empty')
    .refine((items) => new Set(items).size === items.length, 'must not contain duplicates')
    .meta({ uniqueItems: true });
}

export interface AgentDeclaration {
  provider: string;
  description: string;
  actions?: Record<string, ActionDeclaration> | undefined;
  /** What its actions may use, under its provider's key; see {@link needsOf}. */
  [key: string]: unknown;
}

export interface IntegrationsDocument {
  version: 1;
  defaults?: z.output<typeof defaultsDeclaration>;
  sources?: Record<string, SourceDeclaration> | undefined;
  agents: Record<string, AgentDeclaration>;
}

export type UseDeclaration = z.output<typeof useAction>;
export type CallDeclaration = z.output<typeof callAction>;
/** Of an agent of a source. */
export type ToolDeclaration = z.output<typeof toolAction>;
export type ActionDeclaration = UseDeclaration | CallDeclaration | ToolDeclaration;
export type PolicyDeclaration = z.output<typeof policy>;
export type DefaultPolicy = z.output<typeof defaultPolicy>;
