// Writes test/emulators/bank-limits.json: formats and bounds, which the aggregator's SDK leaves out, from its OpenAPI document
// (plaid/plaid-openapi):
//   node scripts/generate/bank-limits.ts <2020-09-14.yml>
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { bankOperations } from '../../sandbox/bank/bank-api.ts';
import { lines, writeGenerated } from './generated-file.ts';

interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}
interface Content {
  content?: Record<string, { schema: Schema }>;
}
interface Document {
  paths: Record<string, { post: { requestBody: Content; responses: Record<string, Content> } }>;
  components: { schemas: Record<string, Schema> };
}

const LIMITS = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'pattern'];
/** Say only how a number is stored. */
const NUMBERS = ['double', 'float'];

const [file = ''] = process.argv.slice(2);
const { paths, components } = load(readFileSync(file, 'utf8')) as Document;
const found: Record<string, Record<string, Record<string, unknown>>> = {};

function nameIn({ $ref }: Schema): string | undefined {
  return $ref?.replace('#/components/schemas/', '');
}

/** Notes the limits of a schema that others refer to, and visits those that it refers to. */
function visit(name: string): void {
  if (Object.hasOwn(found, name)) return;
  found[name] = {};
  note(name, '', components.schemas[name] ?? {});
}

/** @param at the members that lead to it from the schema with this name: `account_ids[]`; '': it is this schema */
function note(name: string, at: string, schema: Schema): void {
  const other = nameIn(schema);
  if (other !== undefined) {
    visit(other);
    return;
  }
  const limits = LIMITS.filter((keyword) => Object.hasOwn(schema, keyword) && !NUMBERS.includes(String(schema[keyword])));
  if (limits.length > 0) found[name] = { ...found[name], [at]: Object.fromEntries(limits.map((keyword) => [keyword, schema[keyword]])) };
  for (const [member, inner] of Object.entries(schema.properties ?? {})) note(name, at === '' ? member : `${at}/${member}`, inner);
  // The SDK has the members of all parts of a schema in one.
  for (const part of schema.allOf ?? []) note(name, at, components.schemas[nameIn(part) ?? ''] ?? part);
  for (const choice of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) note(name, at, choice);
  if (schema.items !== undefined) note(name, `${at}[]`, schema.items);
  if (typeof schema.additionalProperties === 'object') note(name, `${at}{}`, schema.additionalProperties);
}

for (const path of Object.keys(bankOperations({} as never))) {
  const post = paths[path]?.post;
  for (const { content } of [post?.requestBody, ...Object.values(post?.responses ?? {})].filter((one) => one !== undefined)) {
    const schema = content?.['application/json']?.schema;
    if (schema !== undefined) visit(nameIn(schema) ?? '');
  }
}
const limited = Object.fromEntries(Object.entries(found).filter(([, members]) => Object.keys(members).length > 0));
writeGenerated('test/emulators/bank-limits.json', `{\n${lines(limited)}\n}\n`, 'scripts/generate/bank-limits.ts');
