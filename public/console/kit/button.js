import { kit } from '../../language/en/frame.js';
import { element } from './dom.js';

/** @param name of what the button is about, for assistive technology */
export function button(text, { name, className = '', ...properties } = {}) {
  const label = name === undefined ? {} : { 'aria-label': `${text}: ${name}` };
  return element('button', { type: 'button', className: `button ${className}`.trim(), ...label, ...properties }, text);
}

/** A button that copies a text. @param what names it for assistive technology */
export function copyButton(text, what) {
  const copy = button(kit.copy, { name: what, className: 'small' });
  copy.addEventListener('click', async () => {
    // Browsers have no clipboard for pages over http, except on this machine.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    copy.textContent = copied ? kit.copied : kit.notCopied;
  });
  return copy;
}
