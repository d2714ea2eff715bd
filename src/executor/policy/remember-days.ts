import { z } from 'zod';

/** How long the user may allow calls in advance when approving one, in days. */
export const rememberDays = z.int().min(1).max(30);
