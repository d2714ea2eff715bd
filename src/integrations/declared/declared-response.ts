import { truncateOutput } from '../../actions/shared/truncate-output.ts';
import { responseReader } from '../../providers/transport/responses.ts';
import { isObject } from '../../validation/is-object.ts';
import { type ItemIds, itemIdsIn, namesItsItems } from './declared-items.ts';
import { compileProjection, type Projection } from './declared-projection.ts';

export interface DeclaredResponse {
  /** JMESPath, checked when the file was loaded; undefined = the unchanged response. */
  project: string | undefined;
  /** Largest output, bytes of JSON. */
  capBytes: number;
  /** Whether account numbers are masked before the projection. */
  masked: boolean;
  /** The method, if the response is only the part of its that `fields` selects. */
  partOf: string | undefined;
}

/** A declared action's result; undefined if the response does not fit the projection. */
export interface Projected {
  value: unknown;
  fits: boolean;
  /** Of the whole response; undefined: more than can be looked up, or a part that doesn't name what it is of. */
  ids: ItemIds | undefined;
}

/** Margin above the limit, so that the final truncation still detects an excess. */
const CAP_MARGIN = 1.25;
const MAX_PROJECTIONS = 100;
const projections = new Map<string, Projection>();

/** Any JSON, projected and truncated: a method's response may be a thousand times larger than the result. */
export const declaredResponse = responseReader(
  import.meta.url,
  'declaredResponse',
  async (response, { project, capBytes, masked, partOf }: DeclaredResponse): Promise<Projected> => {
    const given = masked ? maskNumbers(response) : response;
    const ids = partOf === undefined || namesItsItems(partOf, response) ? itemIdsIn(response) : undefined;
    const projection = project === undefined ? undefined : await projectionOf(project);
    try {
      const value = projection === undefined ? given : projection(given);
      return { value: truncateOutput(value, Math.ceil(capBytes * CAP_MARGIN)).value, fits: true, ids };
    } catch {
      // Its error may contain values of the response.
      return { value: undefined, fits: false, ids };
    }
  },
  // `$` is the whole response: used for each of its items, it would cost the square of their number.
  ({ project }) => project?.includes('$') === true,
);

/** Compiled once on each thread. */
async function projectionOf(expression: string): Promise<Projection> {
  const known = projections.get(expression);
  if (known !== undefined) return known;
  const made = compileProjection(await import('@jmespath-community/jmespath'), expression);
  if (typeof made !== 'function') throw new Error(`a projection that was checked ${made.rejection}`);
  if (projections.size >= MAX_PROJECTIONS) projections.clear();
  projections.set(expression, made);
  return made;
}

/** Full account numbers are for bank.numbers only, whose policy must allow them. */
function maskNumbers(response: unknown): unknown {
  if (!isObject(response)) return response;
  return { ...response, numbers: maskTexts(response.numbers) };
}

function maskTexts(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'account_id' ? value : `••••${value.length > 4 ? value.slice(-4) : ''}`;
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, key));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, maskTexts(child, name)]));
  return value;
}
