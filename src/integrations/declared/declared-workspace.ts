import type { WorkspaceMethod, WorkspaceMethods } from '../../providers/workspace/workspace-methods.ts';
import { type ScopeName, WORKSPACE_SCOPES } from '../../providers/workspace/workspace-scopes.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import { effectOf, tellingField } from './declared-effects.ts';
import { fieldRefusal, methodRefusal } from './declared-refusals.ts';
import { declaredAnswer } from './declared-response.ts';
import type { Target, TargetOrRefusal } from './declared-target.ts';

/** gmail's parameter for whose mailbox it is: always the account's own. */
const MAILBOX = 'userId';
const OWN_MAILBOX = 'me';

/** The provider's method that is meant, if declared actions may call it and the agent's scopes cover it. */
export function workspaceTarget(id: string, methods: WorkspaceMethods, agentScopes: readonly ScopeName[]): TargetOrRefusal {
  const method = methods.get(id);
  if (method === undefined) return { refusal: unknownMethod(id, methods.ids) };
  const why = methodRefusal(id, method.verb);
  if (why !== undefined) return { refusal: `${id} may not be declared: ${why}` };
  const authorising = scopeNames(method.scopes);
  if (authorising.length === 0) {
    const needed = method.scopes.length === 1 ? 'the provider’s scope' : 'one of the provider’s scopes';
    return { refusal: `${id} needs a consent that users are not asked for: ${needed} ${method.scopes.join(', ')}` };
  }
  const scopes = authorising.filter((scope) => agentScopes.includes(scope));
  if (scopes.length === 0) return { refusal: `${id} needs one of these in the agent’s scopes: ${authorising.join(', ')}` };
  return { target: targetOf(id, method, scopes) };
}

function targetOf(id: string, method: WorkspaceMethod, scopes: readonly ScopeName[]): Target {
  const hasMailbox = Object.hasOwn(method.params, MAILBOX);
  return {
    name: id,
    // A name that is both a parameter and a body field is the parameter.
    fields: { ...method.body, ...method.params, fields: { kind: 'string' } },
    required: method.required.filter((name) => name !== MAILBOX),
    takesNull: (field) => !isParameter(method, field),
    escapesPath(field, value) {
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
    tellingField: (given) => (effectOf(id, method.verb, {}) === 'destructive' ? undefined : tellingField(id, given)),
    send({ session }, args, given) {
      const body = Object.entries(args).filter(([name]) => !isParameter(method, name));
      return (session as WorkspaceSession).call(
        id,
        {
          ...Object.fromEntries(Object.entries(args).filter(([name]) => isParameter(method, name))),
          ...(hasMailbox && { [MAILBOX]: OWN_MAILBOX }),
          ...(method.body !== undefined && { requestBody: Object.fromEntries(body) }),
        },
        declaredAnswer,
        { ...given, masked: false },
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

/** `fields`, the partial answer, is every method's. */
function isParameter({ params }: WorkspaceMethod, name: string): boolean {
  return name === 'fields' || Object.hasOwn(params, name);
}

function scopeNames(scopes: readonly string[]): ScopeName[] {
  const names = Object.keys(WORKSPACE_SCOPES) as ScopeName[];
  return names.filter((name) => scopes.some((scope) => WORKSPACE_SCOPES[name].endsWith(`/auth/${scope}`)));
}
