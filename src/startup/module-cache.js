import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Node keeps compiled code and stripped types here: loading all modules takes 294 ms of processor instead of 675. This
// file is JavaScript so that the cache is on before the first type is stripped. The folder belongs to the installation,
// because a process that can write to a shared cache can inject code.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/steward'));
