import type { ToolDefinition } from '../providers/mcp/source-settings.ts';

/**
 * Of a tool that the integrations file lists, at one connection. `held`: the server defines it differently than was approved, or it
 * is new; its user decides. `gone`: the server lists it no more, or in a way that can't be used. Only an allowed tool is called.
 */
export type ToolState = 'allowed' | 'held' | 'blocked' | 'gone';

/** What the integrations file says about a tool: the hash with which the operator pins its definition; undefined: its user does. */
export interface FileTool {
  hash?: string | undefined;
}

/** Tools of a source that the integrations file lists, by their names at the server. An unknown source has none. */
export type FileTools = (source: string) => ReadonlyMap<string, FileTool>;

/** A tool of a connection. */
export interface PinnedTool {
  /** Its name at the server. */
  tool: string;
  state: ToolState;
  pinnedBy: 'operator' | 'user';
  /** Hash and definition that may be called; undefined: none was approved. An allowed tool has both. */
  approvedHash: string | undefined;
  approved: ToolDefinition | undefined;
  /** Hash of what the server listed last; undefined: nothing. */
  listedHash: string | undefined;
  /** Of a tool that is gone: why its definition can't be used; undefined: the server doesn't list it. */
  problem: string | undefined;
}

/** What a user decides about a tool of a connection. */
export interface ToolDecision {
  accountId: string;
  source: string;
  /** Its name at the server. */
  tool: string;
  decision: 'allow' | 'block';
  /** Of the definition that the user saw. */
  hash: string;
}

/** Hashes of a tool as they are stored for a connection. */
export interface ToolPin {
  tool: string;
  approvedHash: string | null;
  listedHash: string | null;
  problem: string | null;
  isBlocked: boolean;
}

/** The hash that may be called: the operator's pin counts whatever users have approved. */
export function approvedHashOf(pin: ToolPin, { hash }: FileTool): string | null {
  return hash ?? pin.approvedHash;
}

export function stateOf(pin: ToolPin, file: FileTool): ToolState {
  if (pin.isBlocked && file.hash === undefined) return 'blocked';
  if (pin.listedHash === null) return 'gone';
  return pin.listedHash === approvedHashOf(pin, file) ? 'allowed' : 'held';
}
