import type { Definition } from '../definition/definition.ts';
import type { RunEvent } from '../looking/run-event.ts';
import type { RunRow } from './runs-repository.ts';

/** The first message of a run: what its user has written, and with which ids the assistant finds what happened. */
export function runText(
  { does, name }: Definition,
  { plannedAt, late }: Pick<RunRow, 'plannedAt' | 'late'>,
  event: RunEvent | undefined,
): string {
  const lines = [does.type === 'prompt' ? does.prompt : name];
  if (late) lines.push(`This run was planned for ${plannedAt.toISOString()}. It is late: nothing ran at that time.`);
  if (event !== undefined) {
    const { event: kind, ...ids } = event;
    lines.push(`Event: ${[kind, ...Object.entries(ids).map(([key, id]) => `${key} ${id}`)].join(', ')}`);
  }
  return lines.join('\n\n');
}
