/** A number of repetitions: the few of `npm test`, or the many of `npm run test:all`. */
export const many = (few: number, all: number): number => (process.env.TEST_ALL === undefined ? few : all);
