import { byId } from './dom.js';

/**
 * Asks for confirmation in a modal dialog, which gives the focus back when it closes.
 *
 * @returns whether the user confirmed; Escape cancels
 */
export function confirmed({ title, text, yes }) {
  const dialog = byId('confirm');
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  byId('confirm-yes').textContent = yes;
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirm'), { once: true });
  });
}
