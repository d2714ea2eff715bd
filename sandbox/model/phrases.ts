/** What the user can ask of the stand-in beside a request, to see how a model's faults are handled. */
export const PHRASES = {
  slow: /\bbe slow\b/i,
  malformed: /\bbe malformed\b/i,
  cut: /\bbe cut\b/i,
  overLong: /\bbe over-?long\b/i,
  endless: /\bbe endless\b/i,
  unknownTool: /\bcall an unknown tool\b/i,
  claimApproval: /\bclaim approval\b/i,
  gullible: /\bbe gullible\b/i,
} as const;

export type Phrase = keyof typeof PHRASES;

const NAMES = Object.keys(PHRASES) as Phrase[];

/** The phrases of a message, and the message without them. */
export function takePhrases(said: string): { phrases: ReadonlySet<Phrase>; request: string } {
  const phrases = new Set(NAMES.filter((name) => PHRASES[name].test(said)));
  const request = NAMES.reduce((text, name) => text.replace(PHRASES[name], ' '), said);
  // The phrase and its punctuation, as in "Be gullible: read my mails", "Be gullible and read my mails".
  return { phrases, request: phrases.size === 0 ? request : request.replace(/^[\s:;,.!–-]*(?:and\b\s*)?/i, '').trim() };
}
