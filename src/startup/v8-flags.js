import { setFlagsFromString } from 'node:v8';

// V8 would place what calls create among the old objects, where it keeps alive all that it refers to until a full
// collection: 2.8 kB of a call become old instead of 0.3 kB (docs/decisions/0013-requests-and-calls.md). Set before the
// compile cache is opened, because V8 uses compiled code under the flags only under which it was stored.
setFlagsFromString('--no-allocation-site-pretenuring');
