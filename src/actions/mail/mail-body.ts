import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { COMPARED, isDoubtful, readableAlternative } from './alternatives.ts';
import { type MailPart, partData } from './mail-parts.ts';
import { partContent } from './part-content.ts';
import { isLastChoice } from './part-kind.ts';

/** Longer content is converted to text off the main thread; base64 characters that take some 10 ms. */
export const LONG_CONTENT = { html: 8_000, plain: 160_000 };
const MAX_HTML = 300_000;
const TOO_LONG = '[The rest of this message is too long to show.]';

/** How many characters of HTML one result converts to text: conversion is slow, and anyone can send a large amount. */
export class HtmlBudget {
  #left = MAX_HTML;
  /** There was more than the budget. */
  exceeded = false;

  get left(): number {
    return this.#left;
  }

  /** @param characters length of the part, of which as many as were left have been converted */
  take(characters: number): void {
    this.exceeded ||= characters > this.#left;
    this.#left -= Math.min(characters, this.#left);
  }
}

/** How the texts of a message are read. */
export interface Reading {
  session: WorkspaceSession;
  messageId: string;
  budget: HtmlBudget;
  /** Characters after which further parts are not read; a longer text continues. */
  enough: number;
}

/**
 * The message as plain text, HTML converted to text, without that of attached messages.
 *
 * Of alternatives the plain one, unless that says nothing.
 */
export async function bodyText(root: MailPart, reading: Reading): Promise<string> {
  let body = '';
  for (const alternatives of blocksOf(root)) {
    const text = await blockText(alternatives, { ...reading, enough: reading.enough - body.length });
    if (text === '') continue;
    body += body === '' ? text : `\n\n${text}`;
    if (body.length > reading.enough) break;
  }
  return body;
}

/**
 * All texts of the message, alternatives and attached messages included, and of HTML also what isn't displayed: each once.
 * When the budget is exceeded, these aren't all.
 */
export async function allTexts(root: MailPart, reading: Reading): Promise<string> {
  const { budget, enough } = reading;
  const texts = new Map<string, string>();
  let length = 0;
  for (const part of textsOf(root)) {
    const { text, others } = await partTexts(part, reading, true);
    for (const one of [text, others && `Also in its HTML: ${others}`]) {
      const key = one.replace(/\s+/g, ' ').trim();
      if (key === '' || texts.has(key)) continue;
      texts.set(key, one);
      length += one.length;
    }
    if (length > enough || budget.exceeded) break;
  }
  return [...texts.values()].join('\n\n');
}

function textsOf(part: MailPart): MailPart[] {
  return isText(part) ? [part] : part.parts.flatMap(textsOf);
}

/** @param alternatives best first, each with its parts */
async function blockText(alternatives: readonly MailPart[][], reading: Reading): Promise<string> {
  // As much as is compared, so that the choice is the same wherever a result begins.
  const compared = alternatives.length > 1 ? { ...reading, enough: Math.max(reading.enough, COMPARED) } : reading;
  let plain = '';
  for (const parts of alternatives) {
    const text = await joinedText(parts, compared);
    if (text === '') continue;
    if (plain !== '') return readableAlternative(plain, text);
    if (!parts.every(isPlain) || !isDoubtful(text)) return text;
    plain = text;
  }
  return plain;
}

async function joinedText(parts: readonly MailPart[], reading: Reading): Promise<string> {
  let text = '';
  for (const part of parts) {
    if (text.length > reading.enough) break;
    const added = await partText(part, reading);
    if (added !== '') text += text === '' ? added : `\n\n${added}`;
  }
  return text;
}

/** @returns '' if the part is blank */
async function partText(part: MailPart, reading: Reading): Promise<string> {
  const { budget } = reading;
  const isHtml = part.kind === 'html';
  if (isHtml && budget.exceeded) return '';
  const { text } = await partTexts(part, reading, false);
  return isHtml && budget.exceeded ? `${text}\n${TOO_LONG}`.trim() : text;
}

/** The text of a part, and what else is in HTML; '' for what is blank. */
async function partTexts(part: MailPart, reading: Reading, showsHidden: boolean): Promise<{ text: string; others: string }> {
  const { session, messageId, budget, enough } = reading;
  const isHtml = part.kind === 'html';
  const data = await partData(session, messageId, part);
  const contentType = part.headers.get('content-type') ?? '';
  const input = { data, mimeType: part.mimeType, contentType, maxHtml: isHtml ? budget.left : undefined, enough, showsHidden };
  // Lets other requests run between two parts.
  await nextTurn();
  const isLong = data.length > (isHtml ? LONG_CONTENT.html : LONG_CONTENT.plain);
  const { characters, ...texts } = await (isLong ? session.offThread(partContent, input) : partContent.run(input));
  if (isHtml) budget.take(characters);
  return texts;
}

/** Text blocks in reading order, each with its alternatives, best first. */
function blocksOf(part: MailPart): MailPart[][][] {
  if (isText(part)) return [[[part]]];
  if (part.kind === 'message') return [];
  if (part.mimeType !== 'multipart/alternative') return part.parts.flatMap(blocksOf);
  const alternatives = part.parts.flatMap((child) => alternativesOf(blocksOf(child))).filter((parts) => parts.length > 0);
  // Of the others, the last is the best (RFC 2046 section 5.1.4).
  const ranked = [0, 1, 2].flatMap((rank) => alternatives.filter((parts) => rankOf(parts) === rank).reverse());
  return ranked.length === 0 ? [] : [ranked];
}

/** What one alternative offers, best last: its own alternatives, or the best ones of its texts together. */
function alternativesOf(blocks: readonly MailPart[][][]): MailPart[][] {
  const [only = []] = blocks;
  return blocks.length === 1 ? only.toReversed() : [blocks.flatMap((block) => block[0] ?? [])];
}

/** Plain texts are first, since nothing is lost that a conversion can't tell; programs' own formats are last. */
function rankOf(parts: readonly MailPart[]): number {
  if (parts.every(isPlain)) return 0;
  return parts.some(isLastChoice) ? 2 : 1;
}

function isPlain({ kind }: MailPart): boolean {
  return kind === 'plain';
}

function isText({ kind }: MailPart): boolean {
  return kind === 'plain' || kind === 'html';
}
