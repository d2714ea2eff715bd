/** What the documents don't know and the emulators take or send all the same, each with its reason. */
export const EXCEPTIONS: Record<string, string> = {};
