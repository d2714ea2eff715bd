// Writes scripts/generate/workspace-enums.json: the permitted values of parameters and fields, which the SDK's types leave out, from
// the discovery documents in Google's client for Python:
//   node scripts/generate/workspace-enums.ts <googleapiclient/discovery_cache/documents>
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableOf, writeGenerated } from './generated-file.ts';
import { WORKSPACE_APIS } from './sdk-types.ts';

interface Value {
  enum?: string[];
  items?: Value;
  properties?: Record<string, Value>;
}
interface Resource {
  methods?: Record<string, { id: string; parameters?: Record<string, Value> }>;
  resources?: Record<string, Resource>;
}
type Enums = Record<string, Record<string, string[]>>;

function valuesOf(fields: Record<string, Value> = {}): Record<string, string[]> {
  const listed = Object.entries(fields).flatMap(([name, field]) => {
    const values = field.enum ?? field.items?.enum;
    return values === undefined ? [] : [[name, values] as const];
  });
  return Object.fromEntries(listed);
}

function ofMethods({ methods = {}, resources = {} }: Resource): Enums {
  const own = Object.values(methods).map(({ id, parameters }) => [id, valuesOf(parameters)] as const);
  return Object.assign(withValues(own), ...Object.values(resources).map(ofMethods));
}

function withValues(entries: (readonly [string, Record<string, string[]>])[]): Enums {
  return Object.fromEntries(entries.filter(([, values]) => Object.keys(values).length > 0));
}

const [folder = '.'] = process.argv.slice(2);
const documents = Object.entries(WORKSPACE_APIS).map(([api, version]) => {
  const { schemas, ...root } = JSON.parse(readFileSync(join(folder, `${api}.${version}.json`), 'utf8')) as Resource & {
    schemas: Record<string, Value>;
  };
  const ofSchemas = Object.entries(schemas).map(([name, { properties }]) => [`${api}.${name}`, valuesOf(properties)] as const);
  return { methods: ofMethods(root), schemas: withValues(ofSchemas) };
});
writeGenerated('scripts/generate/workspace-enums.json', tableOf(documents), 'scripts/generate/workspace-enums.ts');
