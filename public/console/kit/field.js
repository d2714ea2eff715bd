import { element } from './dom.js';

/** A labelled control. @param hint text below it */
export function field(label, control, hint) {
  const about = hint === undefined ? undefined : element('p', { className: 'muted hint', id: `${control.id}-hint` }, hint);
  if (about !== undefined) control.setAttribute('aria-describedby', about.id);
  return element('div', { className: 'field' }, element('label', { htmlFor: control.id }, label), control, about);
}

/** Says below a field what is wrong with its control. @param control in an element of the class `field` @param text empty: nothing is wrong any more */
export function showFieldProblem(control, text) {
  const id = `${control.id}-problem`;
  const others = (control.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one !== id && one !== '');
  document.getElementById(id)?.remove();
  if (text === '') control.removeAttribute('aria-invalid');
  else {
    control.setAttribute('aria-invalid', 'true');
    control.closest('.field').append(element('p', { className: 'field-problem', id }, text));
    others.push(id);
  }
  if (others.length === 0) control.removeAttribute('aria-describedby');
  else control.setAttribute('aria-describedby', others.join(' '));
}
