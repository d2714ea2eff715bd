import { shell } from '../../public/language/en/shell.js';
import { escapeHtml } from '../http/pages/html.ts';

/** Fills in the texts of the console's document, which names each in braces. */
export function fillTexts(page: string): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(shell[name] ?? ''));
}
