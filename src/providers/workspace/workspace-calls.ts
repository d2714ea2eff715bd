import { didYouMean } from '../../validation/nearest-name.ts';
import type { CallOrRejection, DeclaredCall, FindCall } from '../shared/declared-call.ts';
import { fieldRejection, methodRejection } from './workspace-call-rules.ts';
import { DESTRUCTIVE_FIELDS, effectOf, tellingField } from './workspace-effects.ts';
import { methodExposure } from './workspace-exposure.ts';
import { loadWorkspaceMethods, type WorkspaceMethod, type WorkspaceMethods } from './workspace-methods.ts';
import { SCOPE_NAMES, type ScopeName, WORKSPACE_SCOPES } from './workspace-scopes.ts';
import type { WorkspaceSession } from './workspace-session.ts';

/** Gmail's parameter for the mailbox, which is always the account's own. */
const MAILBOX = 'userId';
const OWN_MAILBOX = 'me';
/** Of new files and copies: a domain may make them visible to all its users (Drive API v3, `files.create`). */
const DEFAULT_VISIBILITY = 'ignoreDefaultVisibility';

/** Loads the methods that actions may declare. */
export async function workspaceCalls(): Promise<FindCall> {
  const methods = await loadWorkspaceMethods();
  return (id, scopes) => findWorkspaceCall(id, methods, scopes);
}

/** The method of a discovery id, if actions may declare it and the agent's scopes cover it. */
function findWorkspaceCall(id: string, methods: WorkspaceMethods, agentScopes: readonly string[]): CallOrRejection {
  const method = methods.get(id);
  if (method === undefined) return { rejection: unknownMethod(id, methods.ids) };
  const why = methodRejection(id, method.verb);
  if (why !== undefined) return { rejection: `${id} may not be declared: ${why}` };
  const authorising = scopeNames(method.scopes);
  if (authorising.length === 0) {
    const needed = method.scopes.length === 1 ? 'the provider’s scope' : 'one of the provider’s scopes';
    return { rejection: `${id} needs a consent that users are not asked for: ${needed} ${method.scopes.join(', ')}` };
  }
  const scopes = authorising.filter((scope) => agentScopes.includes(scope));
  if (scopes.length === 0) return { rejection: `${id} needs one of these in the agent’s scopes: ${authorising.join(', ')}` };
  return { call: callOf(id, method, scopes) };
}

function callOf(id: string, method: WorkspaceMethod, scopes: readonly string[]): DeclaredCall {
  const hasMailbox = Object.hasOwn(method.params, MAILBOX);
  return {
    name: id,
    // A name that is both a parameter and a body field is the parameter.
    fields: { ...method.body, ...method.params, fields: { kind: 'string' } },
    required: method.required.filter((name) => name !== MAILBOX),
    takesNull: (field) => !isParameter(method, field),
    escapesPath(field, value) {
      // In {+name}, the client does not encode %2F (RFC 6570, section 3.2.3).
      if (method.path.includes(`{+${field}}`)) return /[/?#%]/.test(value);
      return method.path.includes(`{${field}}`) && /[/?#]/.test(value);
    },
    rejection(field, value) {
      if (field === MAILBOX && hasMailbox) return value === OWN_MAILBOX ? undefined : 'is always me, the account itself';
      return fieldRejection(field);
    },
    scopes,
    effect: (given) => effectOf(id, method.verb, given),
    tellingField: (given) => (effectOf(id, method.verb, {}) === 'destructive' ? undefined : tellingField(id, given)),
    destructiveFields: DESTRUCTIVE_FIELDS,
    exposure: async (session, args, own) =>
      method.verb === 'GET' ? { audience: [], version: '', items: [] } : methodExposure(id, args, session as WorkspaceSession, own),
    send(session, args, reader, readerArgs) {
      const body = Object.entries(args).filter(([name]) => !isParameter(method, name));
      return (session as WorkspaceSession).call(
        id,
        {
          ...Object.fromEntries(Object.entries(args).filter(([name]) => isParameter(method, name))),
          ...(hasMailbox && { [MAILBOX]: OWN_MAILBOX }),
          ...(Object.hasOwn(method.params, DEFAULT_VISIBILITY) && { [DEFAULT_VISIBILITY]: true }),
          ...(method.body !== undefined && { requestBody: Object.fromEntries(body) }),
        },
        reader,
        readerArgs,
      );
    },
  };
}

function unknownMethod(id: string, known: readonly string[]): string {
  const apis = [...new Set(known.map((one) => one.slice(0, one.indexOf('.'))))];
  const begins = apis.some((api) => id.startsWith(`${api}.`));
  const hint = begins ? '' : `; methods of these APIs can be called: ${apis.join(', ')}`;
  return `the provider has no method ${id}${didYouMean(id, known) || hint}`;
}

/** Every method accepts `fields` (partial response). */
function isParameter({ params }: WorkspaceMethod, name: string): boolean {
  return name === 'fields' || Object.hasOwn(params, name);
}

function scopeNames(scopes: readonly string[]): ScopeName[] {
  return SCOPE_NAMES.filter((name) => scopes.some((scope) => WORKSPACE_SCOPES[name].endsWith(`/auth/${scope}`)));
}
