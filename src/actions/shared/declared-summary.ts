import { english } from '../../../public/language/english.js';
import { cutList } from '../../validation/cut-text.ts';
import { quoted } from './display-text.ts';

const SHOWN_ARGUMENT = 600;
const SHOWN_ARGUMENTS = 2_000;
/** The parameter with a complete message, in base64url. */
const RAW_MESSAGE = 'raw';

/**
 * The text that the user approves: the action's description, then the method's arguments, recipients first.
 * Long texts are truncated between two values, or replaced by their length.
 */
export function declaredSummary(
  description: string,
  args: Readonly<Record<string, unknown>>,
  reachingFields: readonly string[] = [],
): string {
  const [reaching = [], others = []] = [true, false].map((far) =>
    Object.entries(args).filter(([name]) => reachingFields.includes(name) === far),
  );
  const shown = [...reaching, ...others].map(member);
  const purpose = description.trim().replace(/\.$/, '');
  return shown.length === 0 ? purpose : `${purpose} — ${cutList(shown, SHOWN_ARGUMENTS)}`;
}

function show(name: string, value: unknown): string {
  if (typeof value === 'string') return name === RAW_MESSAGE ? rawMessage(value) : quoted(value);
  if (Array.isArray(value))
    return `[${cutList(
      value.map((item) => show('', item)),
      SHOWN_ARGUMENT,
    )}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${cutList(Object.entries(value).map(member), SHOWN_ARGUMENT)} }`;
}

function member([name, value]: [string, unknown]): string {
  return `${/^\w{1,60}$/.test(name) ? name : quoted(name)}: ${show(name, value)}`;
}

function rawMessage(encoded: string): string {
  return `a raw message of ${count(Buffer.byteLength(encoded, 'base64url'))} bytes`;
}

function count(number: number): string {
  return english.number(number);
}
