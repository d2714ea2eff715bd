import type { Action } from '../action.ts';
import { readAttachment } from './mail-attachment.ts';
import { labelMail, listLabels, trashMail } from './mail-organize.ts';
import { readMail } from './mail-read.ts';
import { searchMail } from './mail-search.ts';
import { draftMail, sendMail } from './mail-send.ts';

/** Built-in actions of the mail agent. */
export const mailActions: readonly Action[] = [searchMail, readMail, readAttachment, draftMail, sendMail, labelMail, trashMail, listLabels];
