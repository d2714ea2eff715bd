/** The data of a result. The stand-in reads it loosely, as a model does. */
export type Data = Record<string, unknown>;

/** Why a call has no result: it waits for the user, was denied by the user, was refused by the service, or failed. */
export type Obstacle = 'waits' | 'denied' | 'refused' | 'failed';

export type Result = { tool: string; ok: true; data: Data } | { tool: string; ok: false; obstacle: Obstacle; message: string };

/** Reads the content of a tool message: the result's `data`, or what stands in its way. */
export function readResult(tool: string, content: string): Result {
  const value = parsed(content);
  if (value === undefined) return { tool, ok: false, obstacle: obstacleOf(content), message: content.trim() };
  const { data, error, code, message, status, approvalId, pending, omitted } = value;
  if (isData(data)) return { tool, ok: true, data };
  if (typeof pending === 'string') return { tool, ok: false, obstacle: 'waits', message: pending };
  // A result that the assistant has left out to save space.
  if (typeof omitted === 'string') return { tool, ok: false, obstacle: 'failed', message: omitted };
  const fault = isData(error) ? error : value;
  const isFault = error !== undefined || (typeof code === 'string' && typeof message === 'string');
  const words = [fault.code, fault.message, status].filter((one) => typeof one === 'string').join(': ');
  if (isFault || approvalId !== undefined) return { tool, ok: false, obstacle: obstacleOf(words || content), message: words || content };
  return { tool, ok: true, data: value };
}

function parsed(content: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isData(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function obstacleOf(words: string): Obstacle {
  if (
    /\b(?:denied|declined|rejected) by the user\b|\bexecution denied\b|\bapproval_denied\b|\bthe user (?:denied|declined)\b|^denied\b/i.test(
      words,
    )
  ) {
    return 'denied';
  }
  if (/approval_required|not decided|\bpending\b|needs? (?:the user.s )?approval|waits? for (?:the user|approval)/i.test(words))
    return 'waits';
  return /\b(?:forbidden|refused|not allowed|policy)\b/i.test(words) ? 'refused' : 'failed';
}

export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a tool of a source has answered, without the same as text. */
export function structured(result: Data): Data {
  return isData(result.structured) ? result.structured : result;
}

/** The objects of a list; none if it is no list. */
export function listOf(value: unknown): Data[] {
  return Array.isArray(value) ? value.filter(isData) : [];
}

/** The text of a value; empty for what has none. */
export function str(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
