import { AppError } from '../../errors.ts';
import { shortened } from '../../validation/cut-text.ts';
import { isObject } from '../../validation/is-object.ts';
import { tidy, unreadableResponse } from '../transport/response-json.ts';
import type { ToolResult } from './source-session.ts';

const MAX_NAME = 300;
/** Values within the structured content. What handles them takes time for each, in which nobody else is answered. */
const MAX_VALUES = 20_000;
/** Blocks of an answer; further ones are counted. */
const MAX_BLOCKS = 2_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the database rejects it
const NUL = /\u0000/g;

/**
 * The result of `tools/call` (MCP, `CallToolResult`). A block of a kind that is not known is named, so that it makes no answer
 * unreadable.
 *
 * @throws AppError `provider_error`, `too_large`
 */
export function readToolResult(result: Readonly<Record<string, unknown>>): ToolResult {
  const { structuredContent, isError } = result;
  const content = result.content ?? [];
  if (!Array.isArray(content)) throw unreadableResponse('content is no list');
  const texts = content.slice(0, MAX_BLOCKS).map(textOf);
  if (content.length > MAX_BLOCKS) texts.push(`[${content.length - MAX_BLOCKS} more]`);
  return {
    text: texts.filter((text) => text !== '').join('\n\n'),
    ...(structuredContent !== undefined && structuredContent !== null && { structured: plain(structuredContent) }),
    isError: isError === true,
  };
}

function textOf(block: unknown): string {
  if (!isObject(block)) return '[unknown content]';
  const { type, text, mimeType, resource, uri } = block;
  if (type === 'text' && typeof text === 'string') return cleaned(text);
  if (type === 'image' || type === 'audio') return `[${type}${named(mimeType)}]`;
  if (type === 'resource_link') return `[link${named(uri)}]`;
  if (type !== 'resource' || !isObject(resource)) return '[unknown content]';
  return typeof resource.text === 'string' ? cleaned(resource.text) : `[file${named(resource.uri)}]`;
}

function named(value: unknown): string {
  return typeof value === 'string' ? `: ${cleaned(shortened(value, MAX_NAME))}` : '';
}

/** @throws AppError `too_large` */
function assertFew(value: unknown): void {
  const waiting = [value];
  for (let left = MAX_VALUES; waiting.length > 0; left -= 1) {
    if (left === 0) throw new AppError('too_large', 'The result has too many values. Ask for fewer.');
    const one = waiting.pop();
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) waiting.push(member);
  }
}

/** JSON that can be stored: not nested too deeply, well-formed, without NUL. @throws AppError `too_large` */
function plain(value: unknown): unknown {
  const whole = { value };
  tidy(whole, 'kept');
  assertFew(whole.value);
  return JSON.parse(JSON.stringify(whole.value), (_key, member) => {
    if (typeof member === 'string') return cleaned(member);
    return isObject(member) ? withCleanNames(member) : member;
  });
}

function withCleanNames(object: Record<string, unknown>): Record<string, unknown> {
  const isClean = Object.keys(object).every((name) => cleaned(name) === name);
  return isClean ? object : Object.fromEntries(Object.entries(object).map(([name, member]) => [cleaned(name), member]));
}

function cleaned(text: string): string {
  return text.toWellFormed().replace(NUL, '');
}
