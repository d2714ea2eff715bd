/** A day as banks write it: YYYY-MM-DD. @param milliseconds since 1970 */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
