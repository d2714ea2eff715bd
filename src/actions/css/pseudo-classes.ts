const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Pseudo-classes that stand for other selectors. */
export const ALIASES = new Map([
  [':root', 'html'],
  [':scope', 'html'],
  [':link', 'a[href],area[href]'],
  [':any-link', 'a[href],area[href]'],
  [':-webkit-any-link', 'a[href],area[href]'],
  [':enabled', 'button,input,select,textarea'],
  [':disabled', '[disabled]'],
  [':checked', 'input[checked],option[selected]'],
  [':defined', '*'],
]);

/** Of states that only come by use of a page, pseudo-elements, and elements without text: none selects one that a message shows. */
export const NEVER = names(
  ':empty :hover :active :focus :focus-visible :focus-within :visited :target :target-within :autofill :-webkit-autofill :fullscreen :-webkit-full-screen :modal :popover-open :picture-in-picture :playing :paused :seeking :buffering :stalled :user-valid :user-invalid :host :host-context :current :past :future :before :after :first-line :first-letter ::before ::after ::first-line ::first-letter ::marker ::selection ::placeholder ::backdrop ::cue ::part ::slotted ::file-selector-button ::target-text ::spelling-error ::grammar-error ::highlight ::view-transition ::details-content',
);

/** Of places and contents that aren't known when the element begins, or of no interest. */
export const UNJUDGED = names(
  ':last-child :only-child :nth-last-child :last-of-type :only-of-type :nth-last-of-type :has :lang :dir :default :indeterminate :valid :invalid :in-range :out-of-range :required :optional :read-only :read-write :placeholder-shown :open :muted :volume-locked :state',
);
