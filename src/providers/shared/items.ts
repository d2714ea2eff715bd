/** Stands for items whose ids aren't known: those of a large folder that weren't read, those of a response that doesn't name them. */
export const UNKNOWN_ITEM = '*';
