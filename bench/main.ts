// `npm run bench`: the service against plain reference servers, all in one run. `npm run bench -- a c` runs only those parts.
import { availableParallelism, cpus } from 'node:os';
import { measureAssistant } from './assistant.ts';
import { measureAutomations } from './automations/measure.ts';
import { type Figure, formatTable, isMet } from './figures.ts';
import { LoadClient } from './load.ts';
import { measureMcp } from './mcp-calls.ts';
import { measureMemory } from './memory.ts';
import { profileService } from './profile.ts';
import { measureProviderCalls } from './provider-calls.ts';
import { measureHerd, measureRefreshes } from './refresh.ts';
import { measureCalls } from './socket-calls.ts';
import { measureSockets } from './sockets.ts';
import { measureSourceCalls } from './source-calls.ts';
import { openStage, type Stage } from './stage.ts';
import { measureStart } from './start-time.ts';
import { measureAccounts, measureHealth } from './throughput.ts';
import { measureToolSearch } from './tool-search.ts';

interface Part {
  measure: (stage: Stage, client: LoadClient) => Promise<Figure[]>;
  /** How the service is profiled if the goal isn't met: under load on this address, or (start) until it is ready. */
  profile?: { path: string } | 'start';
}

const PARTS: Record<string, Part> = {
  a: { measure: measureHealth, profile: { path: '/test' } },
  b: { measure: measureAccounts, profile: { path: '/auth/bank/accounts' } },
  c: { measure: measureStart, profile: 'start' },
  d: { measure: measureMemory },
  e: { measure: measureHerd },
  f: { measure: measureRefreshes },
  g: { measure: measureCalls },
  h: { measure: measureSockets },
  i: { measure: measureMcp },
  j: { measure: measureAssistant },
  k: { measure: async (stage) => [...(await measureProviderCalls(stage)), ...(await measureSourceCalls(stage))] },
  l: { measure: measureToolSearch },
  m: { measure: measureAutomations },
};

const asked = process.argv.slice(2);
const unknown = asked.find((part) => !(part in PARTS));
if (unknown !== undefined) {
  console.error(`There is no part ${unknown}; the parts are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}

const stage = await openStage();
const client = new LoadClient();
try {
  const figures: Figure[] = [];
  const profiles: string[] = [];
  for (const [name, { measure, profile }] of Object.entries(PARTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.error(`measuring (${name}) …`);
    const measured = await measure(stage, client);
    figures.push(...measured);
    if (profile === undefined || measured.every((figure) => isMet(figure) !== false)) continue;
    const path = profile === 'start' ? undefined : profile.path;
    profiles.push(`(${name}) where the service's own time goes\n${await profileService(stage, client, path)}`);
  }
  console.log(
    `\nNode ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}; medians, ratios pair by pair\n`,
  );
  console.log([formatTable(figures), ...profiles].join('\n\n'));
} finally {
  client.close();
  await stage.close();
}
