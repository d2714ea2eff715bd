import { automations, templates as texts } from '../../language/en/automations.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';

/** What the form holds at first, by the template. `ticked` is granted beside what reads. */
const TEMPLATES = {
  brief: {
    name: texts.brief.title,
    trigger: { type: 'schedule', every: 'weekday', at: '08:00' },
    does: { type: 'prompt', prompt: texts.brief.prompt },
  },
  invoices: {
    name: texts.invoices.title,
    trigger: { type: 'event', event: 'mail.received', filter: { subject: texts.invoices.subject } },
    does: { type: 'prompt', prompt: texts.invoices.prompt },
    ticked: ['mail.send'],
  },
  payments: {
    name: texts.payments.title,
    trigger: { type: 'event', event: 'bank.transaction', filter: { amount_over: 500 } },
    does: { type: 'notify' },
  },
  meeting: {
    name: texts.meeting.title,
    trigger: { type: 'event', event: 'calendar.starting', minutes_before: 20 },
    does: { type: 'prompt', prompt: texts.meeting.prompt },
  },
};

const EMPTY = { trigger: { type: 'schedule' }, does: { type: 'prompt' } };

/** What the form holds at first. @param name of a template; any other is an empty form */
export function templateOf(name) {
  return Object.hasOwn(TEMPLATES, name ?? '') ? TEMPLATES[name] : EMPTY;
}

/** The templates to begin with. */
export function templatesCard() {
  const items = Object.keys(TEMPLATES).map((name) =>
    element(
      'li',
      {},
      element(
        'a',
        { className: 'template', href: `#automations/new?template=${name}` },
        element('strong', {}, texts[name].title),
        element('span', {}, texts[name].about),
      ),
    ),
  );
  const list = element('ul', { className: 'templates', 'aria-labelledby': 'automation-templates-title' }, ...items);
  return card({ id: 'automation-templates', title: automations.templates, about: automations.templatesAbout }, list);
}
