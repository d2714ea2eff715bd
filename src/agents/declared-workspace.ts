import { didYouMean } from '../http/nearest-name.ts';
import type { ValueKind, WorkspaceMethod, WorkspaceMethods } from '../providers/workspace-methods.ts';
import { type ScopeName, WORKSPACE_SCOPES } from '../providers/workspace-scopes.ts';
import type { WorkspaceSession } from '../providers/workspace-session.ts';
import { effectOf } from './declared-effects.ts';
import { fieldRefusal, methodRefusal } from './declared-refusals.ts';
import { anyAnswer, type Target, type TargetOrRefusal } from './declared-target.ts';

/** gmail's parameter for whose mailbox it is: always the account's own. */
const MAILBOX = 'userId';
const OWN_MAILBOX = 'me';

/** The provider's method that is meant, if declared actions may call it and the agent's scopes cover it. */
export function workspaceTarget(id: string, methods: WorkspaceMethods, agentScopes: readonly ScopeName[]): TargetOrRefusal {
  const method = methods.get(id);
  if (method === undefined) return { refusal: `the provider has no method ${id}${didYouMean(id, methods.keys())}` };
  const why = methodRefusal(id, method.verb);
  if (why !== undefined) return { refusal: `${id} may not be declared: ${why}` };
  const authorising = scopeNames(method.scopes);
  if (authorising.length === 0) return { refusal: `${id} needs a consent that users are not asked for` };
  const scopes = authorising.filter((scope) => agentScopes.includes(scope));
  if (scopes.length === 0) return { refusal: `${id} needs one of these in the agent’s scopes: ${authorising.join(', ')}` };
  return { target: targetOf(id, method, scopes) };
}

function targetOf(id: string, method: WorkspaceMethod, scopes: readonly ScopeName[]): Target {
  const hasMailbox = Object.hasOwn(method.params, MAILBOX);
  return {
    name: id,
    // A name that is both a parameter and a body field is the parameter.
    fields: { ...bodyKinds(method), ...method.params, fields: 'string' },
    required: method.required.filter((name) => name !== MAILBOX),
    leavesPath(field, value) {
      // In {+name} the client leaves %2F as it is (RFC 6570, section 3.2.3).
      if (method.path.includes(`{+${field}}`)) return /[/?#%]/.test(value);
      return method.path.includes(`{${field}}`) && /[/?#]/.test(value);
    },
    refusal(field, value) {
      if (field === MAILBOX && hasMailbox) return value === OWN_MAILBOX ? undefined : 'is always me, the account itself';
      return fieldRefusal(field);
    },
    scopes,
    effect: (given) => effectOf(id, method.verb, given),
    send({ session }, args) {
      const body = Object.entries(args).filter(([name]) => !isParameter(method, name));
      return (session as WorkspaceSession).call(
        id,
        {
          ...Object.fromEntries(Object.entries(args).filter(([name]) => isParameter(method, name))),
          ...(hasMailbox && { [MAILBOX]: OWN_MAILBOX }),
          ...(method.body !== undefined && { requestBody: Object.fromEntries(body) }),
        },
        anyAnswer,
      );
    },
  };
}

/** Only in an address may one text stand for a list of them. */
function bodyKinds({ body = {} }: WorkspaceMethod): Record<string, ValueKind> {
  return Object.fromEntries(Object.entries(body).map(([name, kind]) => [name, kind === 'string[]' ? 'array' : kind]));
}

/** `fields`, the partial answer, is every method's. */
function isParameter({ params }: WorkspaceMethod, name: string): boolean {
  return name === 'fields' || Object.hasOwn(params, name);
}

function scopeNames(scopes: readonly string[]): ScopeName[] {
  const names = Object.keys(WORKSPACE_SCOPES) as ScopeName[];
  return names.filter((name) => scopes.some((scope) => WORKSPACE_SCOPES[name].endsWith(`/auth/${scope}`)));
}
