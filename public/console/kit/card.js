import { element } from './dom.js';

/** A section with a heading, to which the focus returns when what had it is gone. */
export function card({ id, title, about, className = '' }, ...children) {
  return element(
    'section',
    { id, className: `card ${className}`.trim(), 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title`, tabIndex: -1 }, title),
    about === undefined ? undefined : element('p', { className: 'muted about' }, about),
    ...children,
  );
}

/** A label beside a name. @param kind 'good', 'attention', 'bad' or '' */
export function tag(kind, text) {
  return element('span', { className: `tag ${kind}`.trim() }, text);
}
