// @ts-check

/** “15:00–15:45”. @param {string} start @param {string} end @param {string | undefined} lastDay where it is another one */
export const clockRange = (start, end, lastDay) => (lastDay === undefined ? `${start}–${end}` : `${start} to ${lastDay}, ${end}`);

/** @param {string} clocks @param {string} zone @param {string} own */
export const clocksElsewhere = (clocks, zone, own) => `${clocks} ${zone} (${own} yours)`;
/** Names of today, of places whose zones machines still know by former ones. @type {Record<string, string>} */
export const PLACES = {
  Asmera: 'Asmara',
  Calcutta: 'Kolkata',
  Enderbury: 'Kanton',
  Faeroe: 'Faroe',
  Godthab: 'Nuuk',
  Katmandu: 'Kathmandu',
  Kiev: 'Kyiv',
  Ponape: 'Pohnpei',
  Rangoon: 'Yangon',
  Saigon: 'Ho Chi Minh City',
  Truk: 'Chuuk',
};
/** @param {string} place */
export const wordsOfZone = (place) => `${place} time`;
/** Of a time that clocks show twice, as they are set back. @param {string} place @param {string} offset */
export const wordsOfRepeated = (place, offset) => `${wordsOfZone(place)} (${wordsOfOffset(offset)})`;
/** @param {string} offset empty for UTC itself */
export const wordsOfOffset = (offset) => `UTC${offset}`;
/** @param {string | undefined} lastDay */
export const wordsOfDays = (lastDay) => (lastDay === undefined ? 'all day' : `until ${lastDay}`);
/** @param {number} hours @param {number} minutes */
export const duration = (hours, minutes) =>
  [hours > 0 ? `${hours} h` : '', minutes > 0 || hours === 0 ? `${minutes} min` : ''].filter(Boolean).join(' ');
