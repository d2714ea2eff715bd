import { element } from './dom.js';

/** A labelled control. @param hint text below it */
export function field(label, control, hint) {
  const about = hint === undefined ? undefined : element('p', { className: 'muted hint', id: `${control.id}-hint` }, hint);
  if (about !== undefined) control.setAttribute('aria-describedby', about.id);
  return element('div', { className: 'field' }, element('label', { htmlFor: control.id }, label), control, about);
}
