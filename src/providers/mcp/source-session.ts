import type { ProviderSession } from '../shared/provider.ts';
import type { SourceSettings, ToolDefinition } from './source-settings.ts';

/** What a tool answered. */
export interface ToolResult {
  /** Its texts, joined by empty lines; images, audio and links are named and not fetched. */
  text: string;
  /** `structuredContent`; undefined: there was none. It is not validated here. */
  structured?: unknown;
  /** The tool ran and says that it failed. */
  isError: boolean;
}

export interface ListedTools {
  /** In the order of the server. Names are unique. */
  tools: ToolDefinition[];
  /** Tools that can't be used, with a reason that can be shown: names that occur twice, schemas that are too large or refer elsewhere. */
  unusable: { name: string; reason: string }[];
  /** How long the server says that the list is good, milliseconds. */
  ttlMs: number | undefined;
}

/** Calls to one source on behalf of one grant. */
export interface SourceSession extends ProviderSession {
  /**
   * Calls a tool once.
   *
   * @param definition as it was approved: its `x-mcp-header` arguments are repeated as headers (SEP-2243)
   * @throws AppError `reauth_required`, `missing_scopes` with the server's `details.missingScopes`, `provider_error`, `provider_timeout`, `too_large`, `unavailable`, `outcome_unknown`, `aborted`
   */
  callTool(
    source: SourceSettings,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    definition?: Pick<ToolDefinition, 'inputSchema'>,
  ): Promise<ToolResult>;
  /** Reads all tools. @throws AppError like {@link callTool} */
  listTools(source: SourceSettings): Promise<ListedTools>;
}
