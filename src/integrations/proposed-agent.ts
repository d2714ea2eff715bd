import { dump } from 'js-yaml';
import { INVISIBLE } from '../actions/shared/display-text.ts';
import type { ListedTools } from '../providers/mcp/source-session.ts';
import type { ToolDefinition } from '../providers/mcp/source-settings.ts';
import { toolHash } from '../providers/mcp/tool-hash.ts';
import type { Effect } from '../providers/shared/declared-call.ts';
import { cutText } from '../validation/cut-text.ts';
import { RESERVED_KEYS } from '../validation/reserved-keys.ts';
import { TOOL_NAME_MAX_LENGTH } from './catalog.ts';
import { SOURCE_TOOL_MAX_LENGTH } from './file/source-declaration.ts';
import { RESERVED_NAMES } from './source-actions.ts';

/** Longest name of an action. */
const NAME_LENGTH = 40;
const COMMENT_LENGTH = 120;
/** Labels of a host's name that say nothing about whose it is. */
const USUAL_LABELS = new Set(['mcp', 'api', 'www', 'app', 'server']);

/** How a source is reached, as far as the file says it. */
export interface ProposedSource {
  url: string;
  auth: 'oauth' | 'header' | 'none';
  header?: string | undefined;
  prefix?: string | undefined;
}

/**
 * A part of an integrations file with a source and an agent that has all of its tools, to be looked through and pasted. Nothing that
 * the server says can be more than a value, or a comment of one line.
 */
export function proposedAgent(source: ProposedSource, { tools, unusable }: Pick<ListedTools, 'tools' | 'unusable'>): string {
  const name = nameOfHost(source.url);
  const names = new Set<string>();
  const isNameable = (tool: ToolDefinition) => tool.name.length <= SOURCE_TOOL_MAX_LENGTH;
  const actions = tools.filter(isNameable).map((tool) => proposedAction(uniqueName(tool.name, name, names), tool));
  return [
    '# Look at each effect before you use this: it is guessed from what the server says of itself. A hash pins a tool as it is now;',
    '# without it, each user decides when the tool changes.',
    dump({ sources: { [name]: { ...source, label: labelOf(name) } } }).trimEnd(),
    'agents:',
    indented(`${name}:`, 2),
    indented(dump({ provider: 'mcp', source: name, description: `Tools of ${new URL(source.url).host}.` }), 4),
    indented(actions.length === 0 ? 'actions: {}' : 'actions:', 4),
    ...actions.map((action) => indented(action, 6)),
    ...tools.filter((tool) => !isNameable(tool)).map((tool) => indented(comment(`${tool.name} can’t be used: its name is too long`), 6)),
    ...unusable.map((tool) => indented(comment(`${tool.name} can’t be used: ${tool.reason}`), 6)),
    '',
  ].join('\n');
}

function proposedAction(name: string, tool: ToolDefinition): string {
  const { title, description = '' } = tool;
  const action = dump({ [name]: { tool: tool.name, effect: guessedEffect(tool), hash: toolHash(tool) } }, { lineWidth: -1 });
  const about = title ?? description;
  return (about.trim() === '' ? '' : `${comment(about)}\n`) + action;
}

/** What is not said counts as the worst (MCP, ToolAnnotations). */
function guessedEffect({ annotations = {} }: ToolDefinition): Effect {
  if (annotations.readOnlyHint === true) return 'read';
  return annotations.destructiveHint === false ? 'write' : 'destructive';
}

/** In one line of visible characters, which nothing in it can end. */
function comment(text: string): string {
  return `# ${cutText(text.toWellFormed().replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim(), COMMENT_LENGTH)}`;
}

/** `listAllTickets` and `list-all.tickets` as `list_all_tickets`; a name that is taken or reserved gets a number. */
function uniqueName(tool: string, agent: string, taken: Set<string>): string {
  const words = tool.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  const valid = words.replace(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+|_$/g, '') || 'tool';
  const most = Math.min(NAME_LENGTH, TOOL_NAME_MAX_LENGTH - agent.length - 1);
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `_${number}`;
    const name = valid.slice(0, most - ending.length) + ending;
    if (taken.has(name) || RESERVED_KEYS.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** Says nothing, or may not be a name. */
const isOther = (label: string) => [USUAL_LABELS, RESERVED_NAMES, RESERVED_KEYS].some((names) => names.has(label));

/** `linear` of mcp.linear.app. */
function nameOfHost(url: string): string {
  const labels = new URL(url).hostname.split('.').slice(0, -1);
  const telling = labels.filter((label) => /^[a-z][a-z0-9-]{0,19}$/.test(label) && !isOther(label));
  return telling.at(-1) ?? 'source';
}

function labelOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function indented(text: string, spaces: number): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ' '.repeat(spaces) + line)
    .join('\n');
}
