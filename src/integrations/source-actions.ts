import { type DeclaredTool, type LazyAction, toLazyAction } from '../actions/shared/action.ts';
import { AppError } from '../errors.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import { isObject } from '../validation/is-object.ts';
import { didYouMean } from '../validation/nearest-name.ts';
import { SANDBOX_URL } from './catalog.ts';
import type { IntegrationsDocument, ToolDeclaration } from './file/declaration.ts';
import type { Diagnostics } from './file/diagnostics.ts';
import { AUTH_KEYS, SOURCE_PROVIDER, type SourceDeclaration } from './file/source-declaration.ts';

/** Reads a variable of the environment; `taken`: it is one of this service's own. */
export type ReadSecret = (variable: string) => { value: string | undefined } | 'taken';

/** `/auth/sources/accounts/…` and `/auth/sources/callback` are addresses of all sources. */
export const RESERVED_NAMES = new Set(['accounts', 'callback']);
/** Headers that the protocol itself sets, or that decide where a request goes. */
const OWN_HEADER =
  /^(?:host|cookie|origin|accept|content-.*|connection|transfer-encoding|upgrade|te|trailer|expect|proxy-.*|mcp-.*|last-event-id)$/i;
const SECRET_PARAMETER = /key|token|secret|passw|auth|signature/i;
/** A source waits no longer for a result. */
const TIMEOUT_MS = 30_000;

/** The sources of a file. Adds diagnostics for what their keys say together. */
export function compileSources(
  declared: NonNullable<IntegrationsDocument['sources']>,
  readSecret: ReadSecret,
  diagnostics: Diagnostics,
): Map<string, SourceSettings> {
  const labels = new Map<string, string>();
  const compiled = Object.entries(declared).map(([name, source]) => {
    const own = diagnostics.under('sources', name);
    if (RESERVED_NAMES.has(name)) own.inKey(`${name} can’t be a source’s name, because it is part of an address: rename it`);
    const other = labels.get(source.label.toLowerCase());
    if (other !== undefined) own.under('label').inValue(`is also the label of ${other}: people must tell them apart`);
    labels.set(source.label.toLowerCase(), name);
    return [name, settingsOf(name, source, readSecret, own)] as const;
  });
  return new Map(compiled);
}

function settingsOf(name: string, declared: SourceDeclaration, readSecret: ReadSecret, diagnostics: Diagnostics): SourceSettings {
  const { url, auth = 'oauth', trust = 'third_party', label, header, prefix, client_id: clientId, scopes } = declared;
  checkUrl(url, diagnostics.under('url'));
  checkAuthKeys(declared, auth, diagnostics);
  if (header !== undefined && OWN_HEADER.test(header)) diagnostics.under('header').inValue('is a header that Steward sets itself');
  const settings: SourceSettings = {
    name,
    url,
    auth,
    ...(auth === 'header' && { header: header ?? 'Authorization', prefix: prefix ?? (header === undefined ? 'Bearer ' : '') }),
    ...(clientId !== undefined && { clientId }),
    ...(scopes !== undefined && { scopes }),
    trust,
    label,
  };
  const clientSecret = secretOf(declared, readSecret, diagnostics.under('client_secret_variable'));
  // Not among what is listed, copied or written as JSON.
  return clientSecret === undefined ? settings : Object.defineProperty(settings, 'clientSecret', { value: clientSecret });
}

function checkUrl(given: string, diagnostics: Diagnostics): void {
  if (given === SANDBOX_URL) return;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    diagnostics.inValue('must be an address that begins with https://, or sandbox');
    return;
  }
  if (url.username !== '' || url.password !== '') diagnostics.inValue('must not hold a user or a password');
  if (given.includes('#')) diagnostics.inValue('must not have a fragment (#…)');
  const secret = [...url.searchParams.keys()].find((key) => SECRET_PARAMETER.test(key));
  if (secret !== undefined) diagnostics.inValue(`must not hold a secret, as ${secret} seems to be: use auth: header`);
}

function checkAuthKeys(declared: SourceDeclaration, auth: keyof typeof AUTH_KEYS, diagnostics: Diagnostics): void {
  for (const [kind, keys] of Object.entries(AUTH_KEYS)) {
    const wrong = kind === auth ? [] : keys.filter((key) => declared[key] !== undefined);
    for (const key of wrong) diagnostics.under(key).inKey(`is for auth: ${kind}; this source has auth: ${auth}`);
  }
  if (declared.client_secret_variable !== undefined && declared.client_id === undefined) {
    diagnostics.under('client_secret_variable').inKey('needs a client_id beside it');
  }
}

function secretOf(declared: SourceDeclaration, readSecret: ReadSecret, diagnostics: Diagnostics): string | undefined {
  const { client_secret_variable: variable } = declared;
  const found = variable === undefined ? undefined : readSecret(variable);
  if (found === undefined) return undefined;
  if (found === 'taken') diagnostics.inValue('is a variable of Steward itself: use one of its own');
  else if (found.value === undefined) diagnostics.inValue('there is no variable of this name in the environment, or it is empty');
  else return found.value;
  return undefined;
}

/** The source that an agent names; undefined if there is none, with a diagnostic. */
export function namedSource(
  name: string,
  sources: ReadonlyMap<string, SourceSettings>,
  diagnostics: Diagnostics,
): SourceSettings | undefined {
  const source = sources.get(name);
  if (source === undefined)
    diagnostics.under('source').inValue(`there is no source of this name${didYouMean(name, sources.keys()) || choices(sources)}`);
  return source;
}

function choices(sources: ReadonlyMap<string, SourceSettings>): string {
  return sources.size === 0 ? ': the file has no sources' : `: there is ${[...sources.keys()].slice(0, 10).join(', ')}`;
}

/**
 * Makes an action of a tool. Its schemas and its code are those of the definition that a call's account has approved
 * (src/sources/bound-action.ts), so those here say nothing.
 *
 * @param name its full name
 */
export function sourceAction(name: string, source: SourceSettings, declaration: ToolDeclaration, diagnostics: Diagnostics): LazyAction {
  const { tool, effect, hash, description, results = 'others' } = declaration;
  checkFixed(declaration.with ?? {}, diagnostics.under('with'));
  checkDispatcher(declaration, diagnostics);
  const isOwn = results === 'own' && source.trust === 'operator';
  if (results === 'own' && !isOwn) diagnostics.under('results').inValue('own needs trust: operator in the source');
  const pinned: DeclaredTool = {
    source: source.name,
    tool,
    fixed: declaration.with ?? {},
    ...(hash !== undefined && { hash }),
    isDescribed: description !== undefined,
    isOwn,
  };
  return toLazyAction({
    name,
    provider: SOURCE_PROVIDER,
    effect,
    description: description ?? `${source.label}: ${tool}`,
    scopes: [],
    isDeclared: true,
    pinned,
    timeoutMs: TIMEOUT_MS,
    input: { jsonSchema: { type: 'object' }, parse: (value) => value },
    output: { jsonSchema: {}, parse: (value) => value },
    exposes: () => [{ kind: 'service', host: source.url, name: source.label }],
    summary: () => name,
    run: () => Promise.reject(new AppError('internal', 'The action was not bound to an account.')),
  });
}

/** Whether a tool may do anything that its arguments name. */
export function isOpenDispatcher({ dispatches, with: fixed = {} }: ToolDeclaration): boolean {
  return dispatches !== undefined && !Object.hasOwn(fixed, dispatches);
}

function checkDispatcher(declaration: ToolDeclaration, diagnostics: Diagnostics): void {
  if (!isOpenDispatcher(declaration)) return;
  const { dispatches, effect, policy } = declaration;
  const wayOut = `or fix ${dispatches} in with, which makes an action of one of the things that the tool does`;
  if (effect !== 'destructive') diagnostics.under('effect').inValue(`a dispatcher may do anything: set destructive, ${wayOut}`);
  if (policy?.approval !== undefined && policy.approval !== 'always') {
    diagnostics.under('policy', 'approval').inValue(`each call of a dispatcher asks: set always, ${wayOut}`);
  }
}

/** Fixed arguments are constants of JSON. */
function checkFixed(value: unknown, diagnostics: Diagnostics): void {
  if (typeof value === 'string') {
    if (value.startsWith('$input.')) diagnostics.inValue('must be a fixed value: what a caller passes is not named in with of a tool');
  } else if (Array.isArray(value)) value.forEach((item, index) => void checkFixed(item, diagnostics.under(index)));
  else if (isObject(value)) for (const [key, one] of Object.entries(value)) checkFixed(one, diagnostics.under(key));
  else if (value !== null && typeof value !== 'boolean' && !Number.isFinite(value)) diagnostics.inValue('must be a value of JSON');
}

/** Tools of one source must be pinned alike: an account has one definition of each. */
export function checkHashes(actions: readonly { name: string; action: LazyAction }[], diagnosticsOf: (name: string) => Diagnostics): void {
  const hashes = new Map<string, string | undefined>();
  for (const { name, action } of actions) {
    if (action.pinned === undefined) continue;
    const { source, tool, hash } = action.pinned;
    const key = `${source} ${tool}`;
    if (!hashes.has(key)) hashes.set(key, hash);
    else if (hashes.get(key) !== hash)
      diagnosticsOf(name).inKey(`has another hash than the action above that names the same tool: ${tool}`);
  }
}
