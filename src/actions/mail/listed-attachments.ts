import { z } from 'zod';
import { attachmentName, type MailPart } from './mail-parts.ts';

export const shownAttachment = z.object({ id: z.string(), name: z.string(), mime: z.string(), size: z.number() });

/** Attachments as results list them; `size` in bytes. */
export function listedAttachments(parts: readonly MailPart[]): z.output<typeof shownAttachment>[] {
  return parts.map((part) => ({ id: part.id, name: attachmentName(part), mime: part.mimeType, size: part.size }));
}
