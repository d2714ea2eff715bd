import { json, Router, urlencoded } from 'express';
import { z } from 'zod';
import { validate } from '../../src/validation/validate.ts';
import type { Controls } from '../controls.ts';
import type { IdentityIssuer } from './identity-issuer.ts';

const signIn = z.object({
  user: z
    .string()
    .regex(/^[a-z0-9._-]{1,64}$/, 'must have 1 to 64 of the characters a-z 0-9 . _ -')
    .default('demo'),
});

/** The issuer's routes, mounted at /sandbox/identity. */
export function identityIssuerRoutes(issuer: IdentityIssuer, controls: Controls): Router {
  const router = Router();
  router.use(controls.intercept('identity'));
  router.get('/.well-known/openid-configuration', (_request, response) => {
    response.json(issuer.discovery);
  });
  router.get('/jwks.json', (_request, response) => {
    response.json(issuer.keySet);
  });
  router.post('/token', json({ limit: '10kb' }), urlencoded({ extended: false, limit: '10kb' }), async (request, response) => {
    const { user } = validate(signIn, request.body ?? {});
    response.set('Cache-Control', 'no-store').json(await issuer.signIn(user));
  });
  return router;
}
