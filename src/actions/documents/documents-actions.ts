import type { Action } from '../action.ts';
import { readDocumentAction } from './documents-reading.ts';
import { appendAction, createDocumentAction, replaceAction } from './documents-writing.ts';

/** What agents can do with documents. */
export const documentsActions: readonly Action[] = [readDocumentAction, createDocumentAction, appendAction, replaceAction];
