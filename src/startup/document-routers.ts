import type { Services } from '../context.ts';
import { asyncApiRouter, openApiRouter } from '../home/home-routes.ts';
import type { EndpointMiddleware, EndpointRouter } from '../http/endpoints/endpoint-router.ts';
import { version } from './version.ts';

/** The documents of the interface. Both are loaded when they are first read; the second makes a set of schemas that only it needs. */
export function documentRouters(
  { config, addresses }: Pick<Services, 'config' | 'addresses'>,
  middleware: EndpointMiddleware,
  documented: readonly EndpointRouter[],
): EndpointRouter[] {
  const service = { publicUrl: addresses.publicUrl, version: version(), environment: config.environment };
  const openApi = async () => {
    const { openApiDocument } = await import('../http/endpoints/openapi.ts');
    return () =>
      openApiDocument(
        documented.flatMap(({ endpoints }) => endpoints),
        service,
      );
  };
  const asyncApi = async () => {
    const { asyncApiDocument } = await import('../socket/asyncapi.ts');
    return () => asyncApiDocument(service);
  };
  return [openApiRouter(openApi, middleware), asyncApiRouter(asyncApi, middleware)];
}
