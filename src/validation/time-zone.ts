import { z } from 'zod';
import { properZone } from '../../public/language/zones.js';

const MAX_CHARACTERS = 60;

/** Input: an IANA time zone name, in any spelling. An old name of a zone, such as Asia/Calcutta, stays that name. */
export const timeZone = z
  .string()
  .max(MAX_CHARACTERS, `must have at most ${MAX_CHARACTERS} characters`)
  .overwrite((zone) => properZone(zone) ?? zone)
  .refine((zone) => properZone(zone) !== undefined, 'must be a time zone such as Europe/Berlin');
