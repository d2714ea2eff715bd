import type { Action } from '../shared/action.ts';
import { readDocumentAction } from './documents-reading.ts';
import { appendAction, createDocumentAction, replaceAction } from './documents-writing.ts';

/** Built-in actions of the documents agent. */
export const documentsActions: readonly Action[] = [readDocumentAction, createDocumentAction, appendAction, replaceAction];
