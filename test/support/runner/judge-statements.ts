import { afterAll, expect } from 'vitest';
import { collectStatements, judgeStatements } from '../sql/sent-statements.ts';

const COLLECTS = Symbol.for('steward.collects-statements');

// Every statement that a test makes a service of this process send names the user whose rows it is about, or says why not.
if (!(COLLECTS in globalThis)) {
  Object.assign(globalThis, { [COLLECTS]: true });
  collectStatements();
}
afterAll(async () => expect(await judgeStatements()).toEqual([]));
