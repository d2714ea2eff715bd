// Makes biome.imports.json, and the layers and imports that CONTRIBUTING.md lists, from layers.ts. `--check` only compares.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeGenerated } from './generated-file.ts';
import { ENVIRONMENT_READER, LAYERS, ONLYS, SANDBOX_IMPORTS } from './layers.ts';

interface Restriction {
  group: string[];
  message: string;
}

/** The files of one room at one depth, which reach other rooms by the same prefix. */
interface Cell {
  glob: string;
  room: string;
  direction: Restriction;
}

interface Override {
  includes: string[];
  restrictions: Restriction[];
}

const SECTION = /(?<=<!-- layers -->\n)[\s\S]*(?=<!-- \/layers -->)/;
const isFile = (room: string) => room.endsWith('.ts');
/** Of a file at this depth below the repository's root, 0 = directly in a folder of it. */
const up = (depth: number) => '../'.repeat(depth + 1);
const below = (prefix: string, room: string) => (isFile(room) ? `${prefix}${room}` : `${prefix}${room}/**`);
const roomsOf = (layer: number) => Object.keys(LAYERS[layer]?.rooms ?? {});

/** All relative imports that leave the room; `prefix` leads to src. */
function outside(prefix: string): string[] {
  return prefix === './' ? ['./**', '../**'] : [`${prefix}**`, `./${prefix}**`];
}

/** The restriction of a room's files, which reach src by `prefix`. */
function directionOf(layer: number, prefix: string): Restriction {
  const isMutual = LAYERS[layer]?.isMutual === true;
  const allowed = LAYERS.flatMap((_layer, index) => (index < layer || (isMutual && index === layer) ? roomsOf(index) : []));
  return {
    group: [...outside(prefix), ...allowed.map((room) => `!${below(prefix, room)}`)],
    message: `Layer ${layer} may import ${isMutual ? `its own rooms and lower layers` : 'lower layers only'}: see CONTRIBUTING.md.`,
  };
}

function cellsOfRoom(room: string, layer: number): Cell[] {
  if (isFile(room)) return [{ room, glob: `src/${room}`, direction: directionOf(layer, './') }];
  return [
    { room, glob: `src/${room}/*`, direction: directionOf(layer, '../') },
    { room, glob: `src/${room}/*/*`, direction: directionOf(layer, '../../') },
  ];
}

function sandboxCells(): Cell[] {
  const allowed = [...roomsOf(0), ...SANDBOX_IMPORTS];
  return ['sandbox/*', 'sandbox/*/*'].map((glob, depth) => ({
    room: 'sandbox',
    glob,
    direction: {
      group: [`${up(depth)}src/**`, ...allowed.map((room) => `!${below(`${up(depth)}src/`, room)}`)],
      message: 'The sandbox may import layer 0 and http: see CONTRIBUTING.md.',
    },
  }));
}

/** A file name or path in `files` of an Only, as a glob within the cell; undefined if it can't be there. */
function within({ glob }: Cell, file: string): string | undefined {
  if (file.includes('/')) return dirname(file) === dirname(glob) && glob.endsWith('/*') ? file : undefined;
  return glob.endsWith('/*') ? `${dirname(glob)}/${file}` : undefined;
}

/** One override for most of the cell's files, and one for each kind of file that may import more. */
function overridesOf(cell: Cell): Override[] {
  const closed = ONLYS.filter(({ rooms }) => !rooms.includes(cell.room));
  const except = (kind?: string) => [
    cell.direction,
    ...closed.filter(({ files }) => kind === undefined || !files.includes(kind)).map(restrictionOf),
  ];
  const kinds = [...new Set(closed.flatMap(({ files }) => files))].filter((file) => within(cell, file) !== undefined);
  return [
    { includes: [cell.glob, ...kinds.map((kind) => (kind.includes('/') ? `!${kind}` : `!**/${kind}`))], restrictions: except() },
    ...kinds.map((kind) => ({ includes: [within(cell, kind) ?? ''], restrictions: except(kind) })),
  ];
}

function restrictionOf(only: (typeof ONLYS)[number]): Restriction {
  return { group: only.modules, message: `${sentenceOf(only, (name) => name)}: see CONTRIBUTING.md.` };
}

/** @param quote how the names of files and rooms are printed */
function sentenceOf({ what, rooms, files }: (typeof ONLYS)[number], quote: (name: string) => string): string {
  const importers = [...rooms, ...files].map(quote);
  return importers.length === 0 ? `No file imports ${what}` : `Only ${new Intl.ListFormat('en').format(importers)} may import ${what}`;
}

/** Cells under the same restrictions share one override; no file matches two, since the later one would win alone. */
function merged(overrides: Override[]): object[] {
  const groups = Map.groupBy(overrides, ({ restrictions }) => JSON.stringify(restrictions));
  return [...groups.values()].map((group) => ({
    // Exclusions come last.
    includes: [...new Set(group.flatMap(({ includes }) => includes))].toSorted(
      (one, other) => Number(one[0] === '!') - Number(other[0] === '!'),
    ),
    linter: {
      rules: { style: { noRestrictedImports: { level: 'error', options: { patterns: group[0]?.restrictions } } } },
    },
  }));
}

function configuration(): string {
  const cells = [...LAYERS.flatMap((_layer, index) => roomsOf(index).flatMap((room) => cellsOfRoom(room, index))), ...sandboxCells()];
  const everywhere = {
    includes: ['src/**', 'sandbox/**'],
    linter: { rules: { suspicious: { noImportCycles: { level: 'error', options: { ignoreTypes: false } } } } },
  };
  const environment = {
    includes: ['src/**', 'sandbox/**', `!${ENVIRONMENT_READER}`],
    linter: { rules: { style: { noProcessEnv: 'error' } } },
  };
  const overrides = [everywhere, environment, ...merged(cells.flatMap(overridesOf))].map((override) => JSON.stringify(override));
  return `{\n  "overrides": [\n    ${overrides.join(',\n    ')}\n  ]\n}\n`;
}

/** As the formatter pads it. */
function table(): string {
  const rows = LAYERS.flatMap(({ rooms }, layer) =>
    Object.entries(rooms).map(([room, contents]) => [String(layer), `\`${room}\``, contents]),
  );
  const all = [['Layer', 'Room', 'Contents'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const [head, ...body] = all.map((row) => `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

function onlys(): string {
  const quote = (name: string) => `\`${name}\``;
  const sentences = [...ONLYS.map((only) => sentenceOf(only, quote)), `Only ${quote(ENVIRONMENT_READER)} reads ${quote('process.env')}`];
  return sentences.map((sentence) => `- ${sentence}.`).join('\n');
}

writeGenerated('biome.imports.json', configuration(), 'scripts/import-rules.ts');
const contributing = readFileSync(join(import.meta.dirname, '../CONTRIBUTING.md'), 'utf8');
writeGenerated('CONTRIBUTING.md', contributing.replace(SECTION, `\n${table()}\n\n${onlys()}\n\n`), 'scripts/import-rules.ts');
