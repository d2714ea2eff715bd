import type { Action } from '../shared/action.ts';
import { readAttachment } from './mail-attachment.ts';
import { updateDraft } from './mail-draft-update.ts';
import { deleteDraft, listDrafts, sendDraft } from './mail-drafts.ts';
import { labelMail, listLabels } from './mail-organize.ts';
import { readMail } from './mail-read.ts';
import { saveAttachment } from './mail-save-attachment.ts';
import { searchMail } from './mail-search.ts';
import { draftMail, sendMail } from './mail-send.ts';
import { trashMail, untrashMail } from './mail-trash.ts';

/** Built-in actions of the mail agent. */
export const mailActions: readonly Action[] = [
  searchMail,
  readMail,
  readAttachment,
  saveAttachment,
  draftMail,
  listDrafts,
  updateDraft,
  sendDraft,
  deleteDraft,
  sendMail,
  labelMail,
  trashMail,
  untrashMail,
  listLabels,
];
