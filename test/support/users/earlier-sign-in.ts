import type { Service } from '../steward.ts';

/** An ID token of a user who signed in this long ago. */
export async function earlierSignIn(service: Service, user: string, milliseconds: number): Promise<string> {
  await service.control('clock', { advance_ms: -milliseconds });
  try {
    return await service.signIn(user);
  } finally {
    await service.control('clock', { advance_ms: milliseconds });
  }
}
