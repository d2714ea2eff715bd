// Makes src/agents/built-ins.json from the built-in actions themselves: what the service knows of each before its code
// is loaded. `--check` only compares.
import { outlineOf } from '../src/agents/action-outline.ts';
import { loadBuiltIns } from '../src/agents/built-ins.ts';
import { writeGenerated } from './generated-file.ts';

const outlines = (await loadBuiltIns()).map(outlineOf);
writeGenerated('src/agents/built-ins.json', `${JSON.stringify(outlines, null, 2)}\n`, 'scripts/built-ins.ts');
