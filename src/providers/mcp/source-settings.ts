/** A source: an entry of `sources:` in the integrations file. */
export interface SourceSettings {
  /** Its key in the file. */
  name: string;
  /** The server's endpoint (Streamable HTTP), without a fragment. */
  url: string;
  auth: 'oauth' | 'header' | 'none';
  /** Of `auth: header`: the header's name, and what precedes the value that the user enters (`Bearer `). */
  header?: string | undefined;
  prefix?: string | undefined;
  /** Of `auth: oauth`: this service's client id there; undefined: its metadata document, or a registration. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** To be requested in place of those that the server asks for. */
  scopes?: readonly string[] | undefined;
  /** `operator`: the operator answers for the server, so that reads of it are not asked about after text of others was read. */
  trust: 'third_party' | 'operator';
  /** How people know it. */
  label: string;
}

/** A tool as its server lists it (MCP 2026-07-28, `Tool`); without icons. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  /** JSON Schema 2020-12, or as its `$schema` says. */
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema?: Readonly<Record<string, unknown>>;
  annotations?: Readonly<Record<string, unknown>>;
  _meta?: Readonly<Record<string, unknown>>;
}
