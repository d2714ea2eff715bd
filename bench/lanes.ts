export interface LanesResult {
  elapsedMs: number;
  /** Processor time of this process, milliseconds. */
  cpuMs: number;
}

/** Does the work for each id, with this concurrency. */
export async function runLanes(ids: readonly string[], lanes: number, work: (id: string) => Promise<unknown>): Promise<LanesResult> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const queue = ids.values();
  const lane = async () => {
    for (const id of queue) await work(id);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const { user, system } = process.cpuUsage(cpu);
  return { elapsedMs: performance.now() - start, cpuMs: (user + system) / 1000 };
}
