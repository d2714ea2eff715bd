/** The texts of forms that are made from the schema of an action. */

export const FORM = {
  more: 'More ',
  optional: ' (optional)',
  entry: (number, problem) => `Line ${number} ${problem}`,
  hidden: (characters) => `This holds hidden characters: ${characters}`,
  notJson: (label) => `${label}: is not valid JSON.`,
  onePerLine: 'one per line',
  likeOnePerLine: (example) => `${example} (one per line)`,
  timeOfDay: (label) => `${label}: time of day, if it has one`,
  /** Of what is entered in a notation of machines. */
  means: (words) => `That is: ${words}.`,
  allDay: 'Without a time of day, it lasts all day.',
  yes: 'yes',
  no: 'no',
};

/** Examples for fields of the built-in actions. */
export const EXAMPLES = { subject: 'Lunch on Friday', event: 'Team meeting', place: 'Room 4' };
