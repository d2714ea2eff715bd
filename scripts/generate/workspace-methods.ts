// Writes src/providers/workspace/workspace-methods.json from the installed SDK: verb, path, parameters, body fields and
// scopes of every method, with the values of workspace-enums.json, and the address of each API. `--check` only compares.
import { tableOf, writeGenerated } from './generated-file.ts';
import { readApi, rootOf } from './sdk-api.ts';
import { APIS_WITH_BODIES, WORKSPACE_APIS } from './sdk-types.ts';

const names = Object.keys(WORKSPACE_APIS);
const apis = names.map((api) => readApi(api, { nested: APIS_WITH_BODIES.includes(api), mapOf: () => 'object' }));
const roots = Object.fromEntries(names.map((api) => [api, rootOf(api)]));
writeGenerated('src/providers/workspace/workspace-methods.json', tableOf(apis, { roots }), 'scripts/generate/workspace-methods.ts');
