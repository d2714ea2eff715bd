import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';
import { hashOf } from '../shared/version-hash.ts';

/** Hashes that change with a file. */
export interface FileVersion {
  /** With its name, type and folder. */
  place: string;
  /** With these and with everything that those who see it read: its text, its description. */
  content: string;
}

const PLACE = ['id', 'name', 'mimeType', 'parents'];
/**
 * Files that the provider stores have a checksum and a revision, its own documents only the time of the last change. Not its
 * `version`, which also changes when the account opens the file.
 */
const CONTENT = [...PLACE, 'description', 'size', 'md5Checksum', 'headRevisionId', 'modifiedTime', 'shortcutDetails', 'trashed'];
/** The fields of {@link versioned} as the API's `fields` names them. */
export const VERSION_FIELDS = CONTENT.map((field) => (field === 'shortcutDetails' ? `${field}(targetId)` : field)).join(',');

const version = z.object({ place: z.string(), content: z.string() });

/** A schema of files whose output has their version, taken from the response as it is: what is shown may be shortened. */
export function versioned<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  return z.preprocess((file) => (isObject(file) ? { ...file, version: versionOf(file) } : file), schema.extend({ version }));
}

function versionOf(file: Record<string, unknown>): FileVersion {
  const among = (fields: readonly string[]) => hashOf(fields.map((field) => file[field]));
  return { place: among(PLACE), content: among(CONTENT) };
}
