import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { READING_TOOLS } from './reading-tools.ts';
import type { TicketTool } from './ticket-tool.ts';
import { WRITING_TOOLS } from './writing-tools.ts';

/** A tool as it is listed (MCP 2026-07-28, `Tool`). */
export interface Definition extends Record<string, unknown> {
  name: string;
}

interface Listed {
  definition: Definition;
  /** What it does; undefined: a test added it, and it does nothing. */
  tool: TicketTool | undefined;
}

/** The tools as they are listed now: tests change them, as an operator of the tracker could. A restart resets them. */
export class ListedTools {
  #listed = original();

  get definitions(): Definition[] {
    return this.#listed.map(({ definition }) => definition);
  }

  /** The tool of a name that is listed. */
  find(name: string): Listed | undefined {
    return this.#listed.find(({ definition }) => definition.name === name);
  }

  /** Replaces members of a definition; null removes one, another `name` renames it. What the tool does stays. @throws AppError */
  change(name: string, members: Record<string, unknown>): void {
    const listed = this.#get(name);
    const given = Object.entries({ ...listed.definition, ...members }).filter(([, value]) => value !== null);
    listed.definition = Object.fromEntries(given) as Definition;
  }

  /** Lists a tool that does nothing. */
  add(definition: Definition): void {
    this.#listed.push({ definition, tool: undefined });
  }

  /** @throws AppError `not_found` */
  remove(name: string): void {
    const gone = this.#get(name);
    this.#listed = this.#listed.filter((listed) => listed !== gone);
  }

  /** Lists them the other way round. */
  reverse(): void {
    this.#listed.reverse();
  }

  reset(): void {
    this.#listed = original();
  }

  #get(name: string): Listed {
    const found = this.find(name);
    if (found === undefined) throw new AppError('not_found', `There is no tool ${name}.`);
    return found;
  }
}

function original(): Listed[] {
  return [...READING_TOOLS, ...WRITING_TOOLS].map((tool) => ({ tool, definition: definitionOf(tool) }));
}

function definitionOf({ name, title, description, annotations, input, output }: TicketTool): Definition {
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }),
    ...(output !== undefined && { outputSchema: z.toJSONSchema(output) }),
    ...(annotations !== undefined && { annotations }),
  };
}
