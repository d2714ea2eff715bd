import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const ROOT = join(import.meta.dirname, '../../..');
const rulesFile = 'deploy/prometheus/steward-alerts.yml';
const PROMTOOL = '/usr/bin/promtool';
/** Made by Prometheus itself for each target. */
const FOREIGN = new Set(['up']);

const { groups } = load(read(rulesFile)) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('deploy/grafana/steward-dashboard.json'));
const panels: { title: string; type: string; targets?: { expr: string }[] }[] = dashboard.panels;
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const runbook = read('docs/runbook.md');

let steward: TestSteward;
let served: Set<string>;

beforeAll(async () => {
  steward = await startSteward({ METRICS_PORT: '0' });
  served = new Set((await Scrape.of(metricsUrl(steward))).names);
});

afterAll(() => steward.stop());

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Metrics that an expression names, without the suffixes of histograms. */
function metricsIn(expression: string): string[] {
  // Names that end with `_` begin a group of several.
  const names = expression.match(/\b(?:steward|process|nodejs)_[a-z0-9_]*[a-z0-9]\b(?!_)|\bup\b(?=\{)/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}

/** As GitHub makes anchors of headings. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#{2,4} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('alerts', () => {
  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s: severity, for, summary and a section of the runbook',
    (_name, alert) => {
      expect(['page', 'ticket']).toContain(alert.labels.severity);
      expect(alert.for).toMatch(/^\d+m$/);
      expect(alert.annotations.summary).toMatch(/\w/);
      const [page, anchor] = alert.annotations.runbook_url.split('#');
      expect(page).toBe('docs/runbook.md');
      expect(anchors(runbook)).toContain(anchor);
    },
  );

  it('ask for metrics that are served', () => {
    const asked = alerts.flatMap(({ expr }) => metricsIn(expr));
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !served.has(name) && !FOREIGN.has(name))).toEqual([]);
  });

  it.skipIf(!existsSync(PROMTOOL) && process.env.CI === undefined)('are valid and fire when they should, by promtool', () => {
    for (const command of [
      ['check', 'rules', rulesFile],
      ['test', 'rules', 'deploy/prometheus/steward-alerts.test.yml'],
      ['check', 'config', 'deploy/prometheus/prometheus.yml'],
    ]) {
      expect(execFileSync(PROMTOOL, command, { cwd: ROOT, encoding: 'utf8' })).toContain('SUCCESS');
    }
  });
});

describe('the dashboard', () => {
  it('asks for metrics that are served', () => {
    expect(queries.length).toBeGreaterThan(30);
    expect(queries.flatMap(metricsIn).filter((name) => !served.has(name) && !FOREIGN.has(name))).toEqual([]);
  });

  it('has a unique title and position on every panel', () => {
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.every((title) => title !== '')).toBe(true);
  });

  it.skipIf(!existsSync(PROMTOOL) && process.env.CI === undefined)('has queries that Prometheus can read', () => {
    const rules = queries.map((expr, index) => ({ record: `panel:${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    const file = join(steward.dataDir, 'panels.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(execFileSync(PROMTOOL, ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
  });
});

describe('docs/metrics.md', () => {
  it('lists exactly the service’s metrics', () => {
    const listed = [...read('docs/metrics.md').matchAll(/^\| `(steward_\w+)`/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual([...served].filter((name) => name.startsWith('steward_')).toSorted());
  });
});

describe('the runbook', () => {
  it('names only metrics that are served and files that exist', () => {
    expect(metricsIn(runbook).filter((name) => !served.has(name))).toEqual([]);
    const links = [...runbook.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(ROOT, 'docs', path)))).toEqual([]);
  });

  it('quotes log lines and messages that the service can write', () => {
    const source = execFileSync('grep', ['-rhE', '.', 'src', '--include=*.ts'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const quoted = [...runbook.matchAll(/“([^”\n]{12,})”/g)].map(([, text = '']) => text);
    expect(quoted.length).toBeGreaterThan(25);
    // `…` replaces variable text.
    const unknown = quoted.filter((text) => !text.split('…').every((part) => source.includes(part.trim())));
    expect(unknown).toEqual([]);
  });
});
