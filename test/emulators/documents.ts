/** JSON Schema. */
export type Schema = Record<string, unknown>;

/** A method of a provider's API, as the provider's document describes it. */
export interface DocumentedMethod {
  id: string;
  /** Of the query, with a list where a parameter may be repeated; undefined: it is not described. */
  query?: Schema;
  /** undefined: no body. */
  body?: Schema;
  /** undefined: no response, or none of JSON. */
  response?: Schema;
  /** Of a response of an error with this HTTP status; always the same schema for one status. */
  errorOf(status: number): Schema;
}

/** A provider's document. */
export interface ApiDocument {
  /** Definitions that its schemas refer to, as `#/$defs/…`. */
  $defs: Record<string, Schema>;
  /** @param path without the query. @returns undefined: there is no such method */
  find(verb: string, path: string): DocumentedMethod | undefined;
}
