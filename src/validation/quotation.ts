/** Characters that end a quotation, or look as if they did. */
const MARKS = /["“”„‟«»″‴‶‷⁗〝〞〟゛＂❝❞❠ʺˮ˝˶¨״〃⹂🙶🙷🙸]|['’‘‚‛‹›ʹʻʼʽˈˊ′‵´`＇ꞌ❛❜❮❯՚׳ߴ]{2,}/gu;

/** A text that closes no quotation in which it stands. */
export function withoutQuotationMarks(text: string): string {
  return text.replace(MARKS, "'");
}
