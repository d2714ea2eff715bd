/** Elements of the HTML standard by what matters for their text. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** More than a real page has; of further elements, only the content is kept. */
export const MAX_ELEMENTS = 10_000;

/** Elements without content (HTML, 13.1.2). */
export const VOID = words('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr');

/** Blocks that the converter doesn't know: they are written as `div`. */
const OTHER_BLOCKS =
  'dl dt dd figure figcaption address fieldset center details summary dialog dir hgroup legend menu search caption xmp listing plaintext optgroup option marquee';
const KNOWN_BLOCKS = 'p div h1 h2 h3 h4 h5 h6 ul ol li table tr td th blockquote pre section article header footer main aside nav form';

/** Elements that structure the text; of all others only the content is kept. */
export const STRUCTURAL = words(`a ${KNOWN_BLOCKS} ${OTHER_BLOCKS}`);
/** Structural elements that are written under another name. */
export const WRITTEN_AS_DIV = words(OTHER_BLOCKS);
export const LISTS = words('ul ol blockquote');

/** Elements that are never displayed, whatever is in them (HTML, 15.3.1), or only by something other than their content. */
export const UNDISPLAYED = words(
  'template datalist canvas audio video svg rp noembed noframes param select meter progress annotation annotation-xml',
);
/** Elements that hold text without markup (HTML, 13.1.2 and 16.2), and those of them that display it. */
export const RAW = words('script style title noframes noembed iframe textarea xmp plaintext');
export const DISPLAYED_RAW = words('textarea xmp plaintext');

/** Of others, the standard's style sheet (HTML, 15.3) says `inline`. */
export const BLOCKS = words(`html body ${KNOWN_BLOCKS} ${OTHER_BLOCKS}`);
export const TABLE_PARTS = words('table caption colgroup col thead tbody tfoot tr td th');

/** Elements that begin anew after a paragraph has ended around them (13.2.4.3). */
export const FORMATTING = words('a b big code em font i nobr s small strike strong tt u');
/** Elements beyond which an end tag of another kind has no effect (13.2.4.2). */
export const SPECIAL = words(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
);
/** Elements that end tags from inside don't close, nor those around them (13.2.4.2). */
export const SCOPES = words('applet caption html table td th marquee object template');
/** Parts of tables, whose end tags only a table bounds. */
export const TABLE_SCOPES = words('html table template');
/** HTML that ends a drawing or formula around it (13.2.6.5). */
export const BREAKOUTS = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
