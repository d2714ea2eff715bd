import type { IdRange } from './events-repository.ts';

/** Longer than a transaction can be open: an id that is missing after that was rolled back. */
const KEPT_MS = 15_000;
const GAPS_MAX = 1_000;

interface Gap extends IdRange {
  until: number;
}

/** How far a poller has read, and which ids below it may still appear. */
export class IdGaps {
  #cursor: number;
  #gaps: Gap[] = [];

  constructor(cursor: number) {
    this.#cursor = cursor;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** @param now milliseconds of any steady clock */
  open(now: number): readonly IdRange[] {
    this.#gaps = this.#gaps.filter(({ until }) => until > now);
    return this.#gaps;
  }

  /** Notes the ids of one poll, ascending. */
  note(ids: readonly number[], now: number): void {
    for (const id of ids) {
      if (id <= this.#cursor) this.#fill(id);
      else {
        if (id > this.#cursor + 1) this.#gaps.push({ first: this.#cursor + 1, last: id - 1, until: now + KEPT_MS });
        this.#cursor = id;
      }
    }
    // A dropped gap only causes a delay: the next event of the user shows that one is missing.
    if (this.#gaps.length > GAPS_MAX) this.#gaps = this.#gaps.slice(-GAPS_MAX);
  }

  #fill(id: number): void {
    const index = this.#gaps.findIndex(({ first, last }) => first <= id && id <= last);
    const gap = this.#gaps[index];
    if (gap === undefined) return;
    const { first, last, until } = gap;
    const parts = [
      { first, last: id - 1, until },
      { first: id + 1, last, until },
    ];
    this.#gaps.splice(index, 1, ...parts.filter((part) => part.first <= part.last));
  }
}
