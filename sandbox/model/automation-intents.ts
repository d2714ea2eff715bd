import type { Intent } from './intent.ts';
import type { Plan, World } from './plans.ts';
import { timesIn } from './said-dates.ts';
import { addressesIn } from './said-text.ts';
import { type Data, str } from './tool-results.ts';

const DEFAULT_TIME = '08:00';
const MAX_NAME = 60;
const MORNING = /^(?:day|morning|evening)$/i;
/** What a brief reads. */
const READS = ['mail_search', 'mail_read', 'calendar_list', 'calendar_get'];

/** What is to be done later, again and again: proposed, because only the user makes an automation. */
export const automationIntents: readonly Intent[] = [
  {
    example: 'Every weekday at 8, brief me on my mail and meetings.',
    pattern:
      /^(?:(?:propose|make|create|set up|add)(?: me)? an? automation(?: that|:|,)?(?: runs)? )?every (?<every>hour|day|morning|evening|weekday|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?<at>(?: at)? (?:[\d:]+(?: ?[ap]m)?|noon|midnight|\w+))?[,:]? (?<what>\S.*)$/i,
    *plan({ every = 'day', at = '', what = '' }, world) {
      return yield* propose(what, scheduleOf(every.toLowerCase(), at, world), world);
    },
  },
  {
    example: 'When a mail from @acme.example arrives, tell me what it is about.',
    pattern:
      /^(?:(?:propose|make|create|set up|add)(?: me)? an? automation(?: that|:|,)?(?: runs)? )?when(?:ever)? an? (?:new )?mail(?: from (?<from>\S*@\S+))? arrives[,:]? (?<what>\S.*)$/i,
    *plan({ from, what = '' }, world) {
      const [address] = addressesIn(from ?? '');
      const sender = address ?? from;
      return yield* propose(what, { event: 'mail.received', ...(sender !== undefined && { from: sender }) }, world);
    },
  },
];

function* propose(what: string, when: Data, world: World): Plan {
  const prompt = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const actions = READS.filter((tool) => world.tools.has(tool));
  const { name } = yield* world.run('automations_propose', { name: prompt.slice(0, MAX_NAME), ...when, prompt, actions });
  return `The automation “${str(name)}” is made.`;
}

function scheduleOf(every: string, at: string, { words }: World): Data {
  const [time = every === 'hour' ? '00:00' : DEFAULT_TIME] = timesIn(/\bat /.test(at) ? at : ` at${at}`);
  const shared = { at: time, time_zone: words.timeZone };
  if (every === 'hour' || every === 'weekday') return { every, ...shared };
  return MORNING.test(every) ? { every: 'day', ...shared } : { every: 'week', on: every, ...shared };
}
