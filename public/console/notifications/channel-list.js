import { notificationsView as texts } from '../../language/en/notification-channels.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { visibleText } from '../page/page-text.js';

/** The channels: what is told there, and how the last message went. @param load loads them again */
export function channelList(session, channels, load) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'channels-title' });
  const section = card({ id: 'channels', title: texts.list }, list);
  showList(list, section.querySelector('h2'), channels, {
    items: ({ channels: all }) => all.map((channel) => item(session, channel, load)),
    empty: texts.none,
  });
  // Times are written anew where the user's zone has changed.
  session.preferences.watch(() => channels.show());
  return section;
}

function item(session, channel, load) {
  const { type, label, kinds, summaries } = channel;
  const told = texts.told(formatter.list(kinds.map((kind) => texts.kindWords[kind] ?? kind)));
  const problem = problemOf(channel);
  return element(
    'li',
    { className: 'entry' },
    element(
      'div',
      {},
      element('h3', {}, visibleText(label), tag('', texts.types[type] ?? type), stateOf(channel)),
      element('p', { className: 'detail' }, [told, ...(summaries ? [texts.withSummaries] : []), sentOf(channel)].join(' · ')),
      problem === undefined ? undefined : element('p', { className: 'detail' }, problem),
    ),
    element('div', { className: 'actions' }, ...buttons(session, channel, load)),
  );
}

function stateOf({ state, confirmed }) {
  if (!confirmed) return tag('attention', texts.states.unconfirmed);
  return state === 'off' ? tag('bad', texts.states.off) : undefined;
}

function sentOf({ last_sent_at: sent }) {
  return sent === null ? texts.neverSent : texts.lastSent(formatter.dateTime(sent));
}

function problemOf({ state, confirmed, error }) {
  if (error !== null && state === 'active') return texts.failed(texts.errors[error] ?? error);
  if (!confirmed) return texts.unconfirmed;
  return state === 'off' ? texts.off : undefined;
}

function buttons(session, { id, label, confirmed }, load) {
  const name = visibleText(label);
  const path = `/notifications/channels/${encodeURIComponent(id)}`;
  const test = button(confirmed ? texts.test : texts.linkAgain, { name, className: 'small' });
  test.addEventListener('click', () =>
    run(test, session.fail, async () => {
      const { error } = await session.request('POST', `${path}/test`);
      if (error === null) session.notify('done', confirmed ? texts.tested(name) : texts.linkSent(name));
      else session.notify('warning', texts.failed(texts.errors[error] ?? error));
      await load();
    }),
  );
  const remove = button(texts.remove, { name, className: 'small' });
  remove.addEventListener('click', () =>
    run(remove, session.fail, async () => {
      if (!(await session.confirm({ title: texts.removeQuestion(name), text: texts.removeMeans, yes: texts.remove }))) return;
      await session.request('DELETE', path);
      session.notify('done', texts.removed(name));
      await load();
    }),
  );
  return [test, remove];
}
