import { dialogTexts } from '../../language/en/frame.js';
import { byId, element } from './dom.js';

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

/**
 * Opens a modal dialog with more than a question, and a button to leave it.
 *
 * @param leave text of that button
 * @returns the `dialog`, and `closed`, which becomes what it was closed with: 'cancel' by the user
 */
export function openDialog({ title, text, leave = dialogTexts.cancel }, ...children) {
  const name = element('h2', { id: 'dialog-title' }, title);
  const about = element('p', { id: 'dialog-text' }, text);
  const cancel = element('button', { className: 'button', value: 'cancel' }, leave);
  const form = element('form', { method: 'dialog' }, cancel);
  const dialog = element('dialog', { 'aria-labelledby': name.id, 'aria-describedby': about.id }, name, about, ...children, form);
  dialog.returnValue = 'cancel';
  document.body.append(dialog);
  dialog.showModal();
  const closed = new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
  return { dialog, closed };
}
