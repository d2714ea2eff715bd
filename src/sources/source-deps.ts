import type { FlowDeps } from '../connections/connector.ts';
import type { SourceAuthorization } from '../providers/mcp/source-authorization.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { FileTools } from './pinned-tool.ts';
import type { SourceTools } from './source-tools.ts';
import type { ToolListings } from './tool-listings.ts';

/** Sources of the integrations file, by name, as it is now. */
export type Sources = () => ReadonlyMap<string, SourceSettings>;

/** What connecting to sources depends on. */
export interface SourceDeps extends FlowDeps {
  sources: Sources;
  fileTools: FileTools;
  authorization: SourceAuthorization;
  tools: SourceTools;
  listings: ToolListings;
}
