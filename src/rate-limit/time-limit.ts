/**
 * Waits for work that continues after the limit.
 *
 * @param onLate gives the result after that time, or throws the error
 */
export async function withTimeLimit<Result, Late>(work: Promise<Result>, milliseconds: number, onLate: () => Late): Promise<Result | Late> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    return await Promise.race([work, late.then(onLate)]);
  } finally {
    clearTimeout(timer);
  }
}
