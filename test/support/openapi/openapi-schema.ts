/** A schema of the OpenAPI document: the component that it refers to, or itself. */
export function resolveSchema(document: any, schema: any): any {
  const name = schema?.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : document.components.schemas[name];
}
