import { automationIntents } from './automation-intents.ts';
import { bankIntents } from './bank-intents.ts';
import { calendarIntents } from './calendar-intents.ts';
import { documentIntents } from './document-intents.ts';
import { driveIntents } from './drive-intents.ts';
import type { Intent } from './intent.ts';
import { mailIntents } from './mail-intents.ts';
import { mailWritingIntents } from './mail-writing-intents.ts';
import { inOrder, type Plan, together, type World } from './plans.ts';
import { referenceIntents } from './reference-intents.ts';
import { runIntents } from './run-intents.ts';
import { partsOf, plain } from './said-text.ts';
import { ticketIntents } from './ticket-intents.ts';

const INTENTS: readonly Intent[] = [
  ...automationIntents,
  ...runIntents,
  ...ticketIntents,
  ...referenceIntents,
  ...mailWritingIntents,
  ...mailIntents,
  ...bankIntents,
  ...documentIntents,
  ...driveIntents,
  ...calendarIntents,
];

/** A part about what an earlier part finds has to wait for it. */
const REFERS = /\b(?:it|them|this|that|the (?:first|second|third) one)\b/i;

/** The plan for a request, of which several parts run at once; undefined if it is not understood. */
export function understand(said: string, world: World): Plan | undefined {
  // What is done later is one request, however many parts it has.
  const later = planOf(plain(said), world, automationIntents);
  if (later !== undefined) return later;
  const parts = partsOf(said);
  const verb = /^\S+/.exec(parts[0] ?? '')?.[0] ?? '';
  // "Read the document and the newest mail" has its verb once.
  const plans = parts.map((part, index) => planOf(part, world) ?? (index > 0 ? planOf(`${verb} ${part}`, world) : undefined));
  const isWhole = parts.length < 2 || plans.some((plan) => plan === undefined);
  if (isWhole) return planOf(plain(said), world);
  const groups: Plan[][] = [];
  plans.forEach((plan, index) => {
    if (plan === undefined) return;
    const last = groups.at(-1);
    if (last !== undefined && REFERS.test((parts[index] ?? '').split(': ', 1)[0] ?? '')) last.push(plan);
    else groups.push([plan]);
  });
  return joined(groups.map(inOrder));
}

/** What can be said, an example of each kind. */
export function examples(): string[] {
  return INTENTS.map(({ example }) => example);
}

function planOf(part: string, world: World, intents = INTENTS): Plan | undefined {
  for (const { pattern, plan } of intents) {
    const groups = pattern.exec(part)?.groups;
    if (groups !== undefined) return plan(groups, world);
  }
  return undefined;
}

function* joined(plans: readonly Plan[]): Plan {
  return (yield* together(plans)).join('\n\n');
}
