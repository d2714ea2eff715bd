import { z } from 'zod';

/** `provider:` of agents whose actions are tools of a source. */
export const SOURCE_PROVIDER = 'mcp';

/** Longest name of a tool at its server (MCP 2025-11-25, Tools, "Tool Names"). */
export const SOURCE_TOOL_MAX_LENGTH = 128;

/** A header's name (RFC 9110, 5.6.2, `token`). */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]{0,99}$/;
/** Scope tokens (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
export const TOOL_HASH = /^tool\.v1:[0-9a-f]{64}$/;

/** A server of the Model Context Protocol to which users connect. */
export const sourceDeclaration = z
  .strictObject({
    url: z
      .string()
      .min(1, 'must not be empty')
      .max(2_000, 'must have at most 2000 characters')
      .meta({
        description:
          'The address of the server (Streamable HTTP): https, or http for loopback and for hosts of INTERNAL_HOSTS. sandbox: the server that the sandbox plays.',
        examples: ['https://mcp.example.com/mcp'],
      }),
    auth: z.enum(['oauth', 'header', 'none'], 'must be oauth, header or none').optional().meta({
      description:
        'How a user connects. oauth: signs in at the server’s authorization server; header: enters a key once; none: the server asks for nothing. Left out: oauth.',
    }),
    header: z
      .string()
      .regex(HEADER, 'must be the name of a header')
      .optional()
      .meta({ description: 'With auth: header, the header that carries the key. Left out: Authorization, with the prefix “Bearer ”.' }),
    prefix: z
      .string()
      .regex(/^[\x20-\x7e]{1,50}$/, 'must be at most 50 ASCII characters')
      .optional()
      .meta({ description: 'With a header: what stands before the key.', examples: ['Token '] }),
    client_id: z
      .string()
      .min(1, 'must not be empty')
      .max(500, 'must have at most 500 characters')
      .optional()
      .meta({ description: 'With auth: oauth, the id of Steward as a client there. Left out: its metadata document, or a registration.' }),
    client_secret_variable: z
      .string()
      .regex(VARIABLE, 'must be the name of a variable of the environment, such as TICKETS_CLIENT_SECRET')
      .optional()
      .meta({
        description: 'The variable of the environment that holds the client’s secret. The secret itself never stands in this file.',
      }),
    scopes: z
      .array(z.string().regex(SCOPE, 'must be a scope, without spaces'))
      .min(1, 'must not be empty')
      .max(100, 'must have at most 100 scopes')
      .optional()
      .meta({ description: 'With auth: oauth, what to ask for. Left out: what the server says.' }),
    trust: z.enum(['third_party', 'operator'], 'must be third_party or operator').optional().meta({
      description:
        'operator: you answer for the server, so that its reads run without a question though text of others was read before. Left out: third_party.',
    }),
    label: z
      .string()
      .min(1, 'must not be empty')
      .max(60, 'must have at most 60 characters')
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be one line of visible characters')
      .meta({ description: 'How people know it.', examples: ['Tickets'] }),
  })
  .meta({ description: 'A server of the Model Context Protocol to which each user connects.' });

/** Keys of a source that only one kind of `auth` has. */
export const AUTH_KEYS = {
  oauth: ['client_id', 'client_secret_variable', 'scopes'],
  header: ['header', 'prefix'],
  none: [],
} as const satisfies Record<string, readonly (keyof SourceDeclaration)[]>;

export type SourceDeclaration = z.output<typeof sourceDeclaration>;
