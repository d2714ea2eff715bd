import { element } from './dom.js';

let count = 0;

/**
 * Tabs as the ARIA pattern describes them: one tab stop, arrow keys move between them.
 *
 * @param label names the tabs for assistive technology
 * @param entries `{name, build, opened?}`; a panel is built when its tab is first opened, `opened` is called each time it is
 * @param beside nodes at the end of the row
 */
export function tabs(label, entries, ...beside) {
  count += 1;
  const id = `tabs-${count}`;
  const panels = entries.map((_, index) =>
    element('div', {
      className: 'panel',
      id: `${id}-panel-${index}`,
      role: 'tabpanel',
      'aria-labelledby': `${id}-tab-${index}`,
      hidden: true,
    }),
  );
  const buttons = entries.map(({ name }, index) =>
    element(
      'button',
      {
        type: 'button',
        className: 'tab',
        id: `${id}-tab-${index}`,
        role: 'tab',
        'aria-controls': panels[index].id,
        'aria-selected': 'false',
      },
      name,
    ),
  );
  const open = (chosen) => {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    }
    if (panels[chosen].childNodes.length === 0) panels[chosen].append(entries[chosen].build());
    entries[chosen].opened?.();
  };
  for (const [index, button] of buttons.entries()) {
    button.addEventListener('click', () => open(index));
    button.addEventListener('keydown', (event) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = (to + buttons.length) % buttons.length;
      open(next);
      buttons[next].focus();
    });
  }
  open(0);
  const row = element('div', { className: 'tab-row' }, element('div', { role: 'tablist', 'aria-label': label }, ...buttons), ...beside);
  return element('div', { className: 'tabs' }, row, ...panels);
}
