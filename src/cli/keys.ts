import { runProgram } from './command.ts';
import { add, promote, retire } from './keys-list.ts';
import { rewrap } from './keys-rewrap.ts';
import { rotateSigning } from './keys-rotate-signing.ts';
import { status } from './keys-status.ts';

// The commands in the order of a rotation: docs/keys.md.
await runProgram('keys', 'Rotates the master keys while the service runs.', [add, promote, rewrap, status, retire, rotateSigning]);
