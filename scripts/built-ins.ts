// Makes src/agents/built-ins.json and built-in-schemas.json from the built-in actions themselves: what the service knows
// of each before its code is loaded, and what it shows of each without its code. `--check` only compares.
import { outlineOf, schemasOf } from '../src/agents/action-outline.ts';
import { loadBuiltIns } from '../src/agents/built-ins.ts';
import { lines, writeGenerated } from './generated-file.ts';

const actions = await loadBuiltIns();
const outlines = actions.map(outlineOf);
writeGenerated('src/agents/built-ins.json', `${JSON.stringify(outlines, null, 2)}\n`, 'scripts/built-ins.ts');
const schemas = Object.fromEntries(actions.map((action) => [action.name, schemasOf(action)]));
writeGenerated('src/agents/built-in-schemas.json', `{\n${lines(schemas)}\n}\n`, 'scripts/built-ins.ts');
