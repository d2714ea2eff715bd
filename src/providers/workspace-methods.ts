/** Kinds of values a method takes: `string`, `number`, `boolean`, `string[]`, `array`, `object`, `any`. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'string[]' | 'array' | 'object' | 'any';

/** A method of the provider's APIs, as its discovery document describes it. */
export interface WorkspaceMethod {
  verb: string;
  /** With `{name}` where a path parameter stands. */
  path: string;
  params: Readonly<Record<string, ValueKind>>;
  required: readonly string[];
  /** Top-level fields of its body; undefined: it takes none. */
  body: Readonly<Record<string, ValueKind>> | undefined;
  /** Scopes, any one of which authorises it; the provider's URLs without their common beginning. */
  scopes: readonly string[];
}

/** Every method by its discovery id. */
export type WorkspaceMethods = ReadonlyMap<string, WorkspaceMethod>;

interface Table {
  methods: Record<string, Omit<WorkspaceMethod, 'body'> & { body?: string }>;
  schemas: Record<string, Record<string, ValueKind>>;
}

/** Reads the table; costs some milliseconds, so only where methods are declared. */
export async function loadWorkspaceMethods(): Promise<WorkspaceMethods> {
  const { default: table } = (await import('./workspace-methods.json', { with: { type: 'json' } })) as unknown as { default: Table };
  return new Map(
    Object.entries(table.methods).map(([id, { body, ...method }]) => [
      id,
      { ...method, body: body === undefined ? undefined : table.schemas[body] },
    ]),
  );
}
