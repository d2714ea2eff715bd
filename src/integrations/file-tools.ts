import type { FileTool, FileTools } from '../sources/pinned-tool.ts';
import type { Catalog } from './catalog.ts';

type Listed = ReadonlyMap<string, ReadonlyMap<string, FileTool>>;

const NONE: ReadonlyMap<string, FileTool> = new Map();

/** The tools of each source that the actions of the integrations file name, in the version in force. */
export function fileTools(catalog: () => Catalog): FileTools {
  const known = new WeakMap<Catalog, Listed>();
  return (source) => {
    const current = catalog();
    const listed = known.get(current) ?? listedIn(current);
    known.set(current, listed);
    return listed.get(source) ?? NONE;
  };
}

function listedIn({ actions }: Catalog): Listed {
  const listed = new Map<string, Map<string, FileTool>>();
  for (const { action } of actions.values()) {
    if (action.pinned === undefined) continue;
    const { source, tool, hash } = action.pinned;
    const tools = listed.get(source) ?? new Map<string, FileTool>();
    listed.set(source, tools.set(tool, { hash }));
  }
  return listed;
}
