// Makes src/actions/built-ins.json and built-in-schemas.json from the built-in actions: what the service knows
// about each, and shows of it, before its code is loaded. `--check` only compares.

import { loadBuiltIns } from '../../src/actions/built-ins.ts';
import { outlineOf, schemasOf } from '../../src/actions/shared/action.ts';
import { lines, writeGenerated } from './generated-file.ts';

const actions = await loadBuiltIns();
const outlines = actions.map(outlineOf);
writeGenerated('src/actions/built-ins.json', `${JSON.stringify(outlines, null, 2)}\n`, 'scripts/generate/built-ins.ts');
const schemas = Object.fromEntries(actions.map((action) => [action.name, schemasOf(action)]));
writeGenerated('src/actions/built-in-schemas.json', `{\n${lines(schemas)}\n}\n`, 'scripts/generate/built-ins.ts');
