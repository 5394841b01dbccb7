import type { Clock } from '../../lib/clock.ts'

/** Time after which expectations are given up, as upstream's ExpectationsTimeout. */
const TIMEOUT_MS = 5 * 60_000

/** Changes that are expected for one key. */
interface ExpectedChanges {
  /** Negative if an informer has seen more than were expected. */
  creations: number
  /** Keys of objects that have not been seen as deleted. */
  readonly deletions: Set<string>
  /** Milliseconds of the clock. */
  readonly since: number
}

/**
 * Creations and deletions that a controller has requested but not yet seen in its informer. While some are left, the
 * controller must not count its objects: it would create or delete them a second time. Corresponds to upstream's
 * UIDTrackingControllerExpectations.
 */
export class Expectations {
  readonly #clock: Clock
  readonly #expected = new Map<string, ExpectedChanges>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether everything that was expected for a key has been seen, or the time for it is over. */
  areSatisfied(key: string): boolean {
    const expected = this.#expected.get(key)
    if (!expected) return true
    return (expected.creations <= 0 && expected.deletions.size === 0) || this.#clock.now() - expected.since > TIMEOUT_MS
  }

  /** Expects a number of creations, instead of what was expected before. To be called before the requests. */
  expectCreations(key: string, count: number): void {
    this.#expected.set(key, { creations: count, deletions: new Set(), since: this.#clock.now() })
  }

  /** @param objects keys of the objects, each of which counts once. */
  expectDeletions(key: string, objects: Iterable<string>): void {
    this.#expected.set(key, { creations: 0, deletions: new Set(objects), since: this.#clock.now() })
  }

  /** Expects both, for controllers that create and delete in one pass. */
  expect(key: string, creations: number, deletions: Iterable<string>): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: this.#clock.now() })
  }

  /** Counts a creation that an informer has seen, or that has failed. */
  creationObserved(key: string): void {
    const expected = this.#expected.get(key)
    if (expected) expected.creations--
  }

  /** Counts a deletion that an informer has seen, or that has failed. */
  deletionObserved(key: string, object: string): void {
    this.#expected.get(key)?.deletions.delete(object)
  }

  /** Drops the expectations of a key, whose owner has been deleted. */
  forget(key: string): void {
    this.#expected.delete(key)
  }
}
