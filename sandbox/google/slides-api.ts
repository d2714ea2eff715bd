import { z } from 'zod';
import { invalid, notFound } from '../api-fault.ts';
import type { ApiMethod, ApiRequest, SandboxApi } from './api-method.ts';
import { makePresentations, type Presentation, type SlidesState } from './slides-world.ts';

const A = 'https://www.googleapis.com/auth/';
const WRITE = [`${A}presentations`, `${A}drive`];
const READ = [`${A}presentations.readonly`, `${A}drive.readonly`, ...WRITE];

type Request = ApiRequest<SlidesState>;

const updatesBody = z.object({
  requests: z.array(z.object({ deleteObject: z.object({ objectId: z.string() }).optional() })).min(1),
});

const methods: ApiMethod<SlidesState>[] = [
  {
    verb: 'GET',
    path: '/v1/presentations/:presentationId',
    scopes: READ,
    units: 1,
    handle: (request) => ({ json: describe(find(request)) }),
  },
  { verb: 'GET', path: '/v1/presentations/:presentationId/pages/:pageObjectId', scopes: READ, units: 1, handle: getPage },
  { verb: 'POST', path: '/v1/presentations/:presentationId\\:batchUpdate', scopes: WRITE, units: 1, handle: batchUpdate },
];

/** The emulator of the slides API. */
export const slidesApi: SandboxApi<SlidesState> = {
  name: 'slides',
  unitsPerMinute: 60,
  seed: (account) => ({ presentations: makePresentations(account) }),
  methods,
};

function find({ state, params }: Request): Presentation {
  const presentation = state.presentations.find(({ id }) => id === params.presentationId);
  if (presentation === undefined) throw notFound();
  return presentation;
}

function getPage(request: Request) {
  const page = find(request).slides.find(({ objectId }) => objectId === request.params.pageObjectId);
  if (page === undefined) throw notFound();
  return { json: page };
}

function batchUpdate(request: Request) {
  const presentation = find(request);
  const { requests } = updatesBody.safeParse(request.body).data ?? {};
  if (requests === undefined) throw invalid('Must specify at least one request.');
  for (const { deleteObject } of requests) {
    if (deleteObject !== undefined) presentation.slides = presentation.slides.filter(({ objectId }) => objectId !== deleteObject.objectId);
  }
  return { json: { presentationId: presentation.id, replies: requests.map(() => ({})) } };
}

/** Without slides, the provider leaves out `slides`. */
function describe({ id, title, slides }: Presentation): object {
  const pageSize = { width: { magnitude: 9_144_000, unit: 'EMU' }, height: { magnitude: 5_143_500, unit: 'EMU' } };
  return { presentationId: id, pageSize, ...(slides.length > 0 && { slides }), title, locale: 'de' };
}
