const SHOWN_TEXT = 200;
const SHOWN_ARGUMENT = 600;
const SHOWN_ARGUMENTS = 2_000;
/** What would be shown as something that it isn't: they turn the direction of what follows. */
const TURNING = /[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** Where gmail takes a whole message, in base64url. */
const RAW_MESSAGE = 'raw';

/**
 * What a person is asked to approve: what the action is for, then what the
 * method is given. What is long is cut and says how long it is.
 */
export function declaredSummary(description: string, args: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(args).map(([name, value]) => `${name}: ${cut(show(name, value), SHOWN_ARGUMENT)}`);
  const purpose = description.trim().replace(/\.$/, '');
  return shown.length === 0 ? purpose : `${purpose} — ${cut(shown.join(', '), SHOWN_ARGUMENTS)}`;
}

function show(name: string, value: unknown): string {
  if (typeof value === 'string') return name === RAW_MESSAGE ? rawMessage(value) : text(value);
  if (Array.isArray(value)) return `[${value.map((item) => show('', item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, child]) => `${/^\w{1,60}$/.test(key) ? key : text(key)}: ${show(key, child)}`);
  return `{ ${members.join(', ')} }`;
}

function rawMessage(encoded: string): string {
  return `a raw message of ${count(Buffer.byteLength(encoded, 'base64url'))} bytes`;
}

/** In quotation marks that it can't end itself. */
function text(value: string): string {
  const quoted = JSON.stringify(value.slice(0, SHOWN_TEXT).toWellFormed()).replace(TURNING, escaped);
  return value.length > SHOWN_TEXT ? `${quoted}… (${count(value.length)} characters)` : quoted;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function cut(shown: string, most: number): string {
  return shown.length > most ? `${shown.slice(0, most).toWellFormed()}… (${count(shown.length)} characters)` : shown;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
