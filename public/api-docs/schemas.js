/** Levels of nested objects that are listed. */
const DEPTH = 3;
const FORMATS = { uuid: 'UUID', 'date-time': 'ISO 8601 time', email: 'mail address', uri: 'URL' };

/** The fields of an object schema, those of nested objects by their path, such as `accounts[].id`. */
export function fieldsOf(schema, schemas, prefix = '', depth = DEPTH) {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { description } = resolved(property, schemas);
    const row = { name: path, about: typeOf(property, schemas), required: required.includes(name), description };
    const [nested, suffix] = nestedIn(property, schemas);
    return nested === undefined || depth <= 1 ? [row] : [row, ...fieldsOf(nested, schemas, `${path}${suffix}.`, depth - 1)];
  });
}

/** The object schema in a property: itself, an item of its list, or the alternative to null. */
function nestedIn(schema, schemas) {
  const own = notNull(resolved(schema, schemas), schemas);
  if (own.properties !== undefined) return [own, ''];
  const item = own.items === undefined ? undefined : resolved(own.items, schemas);
  return [item?.properties === undefined ? undefined : item, '[]'];
}

function notNull(schema, schemas) {
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  return other === undefined ? schema : resolved(other, schemas);
}

/** A type in words: `array of UUID or null`. */
export function typeOf(schema, schemas) {
  const own = resolved(schema, schemas);
  if (own.anyOf !== undefined) return own.anyOf.map((one) => typeOf(one, schemas)).join(' or ');
  if (own.const !== undefined) return String(own.const);
  if (own.enum !== undefined) return own.enum.join(' or ');
  if (own.items !== undefined) return `array of ${typeOf(own.items, schemas)}`;
  const type = FORMATS[own.format] ?? [own.type ?? 'any'].flat().join(' or ');
  return own.maxLength === undefined ? type : `${type}, at most ${own.maxLength} characters`;
}

/** The schema that a reference names. */
export function resolved(schema, schemas) {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}
