import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ToolDefinition } from './source-settings.ts';

/** Of this formula; another one has another name, so that it is told apart and nothing is held because of it. */
const VERSION = 'tool.v1';

/**
 * The hash of a whole definition, by which it is pinned: the same whatever the order of its members (RFC 8785).
 *
 * @returns `tool.v1:` and 64 hexadecimal digits
 */
export function toolHash({ name, title, description, inputSchema, outputSchema, annotations, _meta }: ToolDefinition): string {
  const whole = canonicalize({ name, title, description, inputSchema, outputSchema, annotations, _meta });
  return `${VERSION}:${createHash('sha256').update(`${VERSION}${whole}`).digest('hex')}`;
}
