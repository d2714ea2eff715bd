import { automationForm as texts } from '../../language/en/automations.js';
import { element } from '../kit/dom.js';
import { compact, controlOf, entered, inputField, selectField, tickBox } from '../kit/form-parts.js';
import { allAccounts, labelOf } from '../page/page-accounts.js';

const DEFAULT_LEAD = 20;
const LONGEST_LEAD = 1_440;
const LONGEST_TEXT = 200;
const DEFAULT_EVENT = 'mail.received';

/** By the event: whose accounts it happens in, and its filters. */
const EVENTS = {
  'mail.received': { provider: 'workspace', filters: ['from', 'to', 'subject', 'has_attachment'] },
  'calendar.starting': { provider: 'workspace', filters: ['title'] },
  'calendar.changed': { provider: 'workspace', filters: ['title'] },
  'drive.changed': { provider: 'workspace', filters: ['name', 'folder'] },
  'bank.transaction': { provider: 'bank', filters: ['amount_over', 'direction', 'merchant', 'category'] },
  'account.status': { filters: [] },
};

const text = (label, hint) => (path, value) => inputField(path, label, { hint, value, maxLength: LONGEST_TEXT, dir: 'auto' });
const FILTERS = {
  from: text(texts.filters.from, texts.fromHint),
  to: text(texts.filters.to, texts.fromHint),
  subject: text(texts.filters.subject, texts.anyHint),
  title: text(texts.filters.title, texts.anyHint),
  name: text(texts.filters.file, texts.anyHint),
  folder: text(texts.filters.folder, texts.folderHint),
  merchant: text(texts.filters.merchant, texts.anyHint),
  category: text(texts.filters.category, texts.anyHint),
  amount_over: (path, value) =>
    inputField(path, texts.filters.amount, { type: 'number', min: '0', step: 'any', inputMode: 'decimal', hint: texts.anyHint, value }),
  direction: (path, value) => selectField(path, texts.filters.direction, Object.entries(texts.directions), { value }),
  has_attachment: (path, value) =>
    element('div', { className: 'field' }, tickBox(texts.filters.hasAttachment, { checked: value === true, 'data-path': path })),
};

/** The fields of an event. @param happening what they hold at first @returns `node`, and `read()` for the trigger */
export function eventFields(session, happening) {
  const { event = DEFAULT_EVENT } = happening;
  const eventField = selectField('trigger.event', texts.event, Object.entries(texts.events), { value: event });
  const varying = element('div', { className: 'fields' });
  let shown;
  const show = () => {
    shown = fieldsOf(session, controlOf(eventField).value, happening);
    varying.replaceChildren(...shown.nodes);
  };
  controlOf(eventField).addEventListener('change', show);
  show();
  return { node: element('div', {}, element('div', { className: 'fields' }, eventField), varying), read: () => shown.read() };
}

function fieldsOf(session, event, { account, minutes_before: minutes, filter = {} }) {
  const { provider, filters } = EVENTS[event];
  const accountField = accountOf(session, provider, account);
  const lead = event === 'calendar.starting' ? [leadField(minutes)] : [];
  const fields = filters.map((name) => [name, FILTERS[name](`trigger.filter.${name}`, filter[name] ?? '')]);
  const read = () => {
    const values = compact(Object.fromEntries(fields.map(([name, node]) => [name, valueIn(node)])));
    return {
      type: 'event',
      event,
      account: entered(accountField) ?? null,
      ...(lead.length > 0 && { minutes_before: entered(lead[0]) }),
      ...(Object.keys(values).length > 0 && { filter: values }),
    };
  };
  return { nodes: [accountField, ...lead, ...fields.map(([, node]) => node)], read };
}

function valueIn(node) {
  const control = controlOf(node);
  if (control.type === 'checkbox') return control.checked || undefined;
  return entered(node);
}

function leadField(minutes = DEFAULT_LEAD) {
  const limits = { min: '1', max: String(LONGEST_LEAD), required: true };
  return inputField('trigger.minutes_before', texts.filters.minutesBefore, { type: 'number', ...limits, value: String(minutes) });
}

/** @param provider undefined: any account of all */
function accountOf(session, provider, chosen) {
  const { value } = session.accounts;
  const accounts = provider === undefined ? allAccounts(value) : value[provider];
  const preferred = chosen ?? accounts.find((one) => one.default)?.id ?? accounts[0]?.id;
  const entries = accounts.map((account) => [account.id, labelOf(account)]);
  if (provider === undefined) entries.unshift(['', texts.anyAccount]);
  else if (entries.length === 0) entries.push(['', texts.noAccount]);
  const field = selectField('trigger.account', texts.account, entries, {
    value: provider === undefined ? (chosen ?? '') : preferred,
    required: provider !== undefined,
  });
  if (accounts.length === 0) field.append(element('p', { className: 'hint' }, element('a', { href: '#accounts' }, texts.connect)));
  return field;
}
