import type { Timer, TimerClock } from '../../../lib/clock.ts'

/** Least time from one look to the next: thousands of nodes that fall silent one after the other cost one look a second. */
const LOOK_MS = 1000

/** Nodes with deadlines. */
export interface DeadlinesOptions {
  readonly clock: TimerClock
  readonly nodes: () => Iterable<string>
  /** Returns the time, in milliseconds, from which a node counts as silent. Undefined if it does already, or is gone. */
  readonly deadlineOf: (node: string) => number | undefined
  /** Called with the nodes whose deadline has passed. Each must be settled. */
  readonly passed: (nodes: readonly string[]) => void
}

/**
 * Finds nodes whose deadline has passed. One timer is set to the earliest deadline. Renewals do not move it: the look
 * at that time sets it again. A look takes all nodes, so nodes that wait to be settled do not cause another one.
 */
export class Deadlines {
  readonly #options: DeadlinesOptions
  /** Nodes whose deadline has passed and that have not been settled. */
  readonly #passed = new Set<string>()
  #timer: Timer | undefined
  /** Time of the timer. */
  #at = Number.POSITIVE_INFINITY
  /** Time before which there is no other look. */
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(options: DeadlinesOptions) {
    this.#options = options
  }

  /** Takes a node that is new or has changed. */
  observe(node: string): void {
    const deadline = this.#passed.has(node) ? undefined : this.#options.deadlineOf(node)
    if (deadline !== undefined) this.#arm(deadline)
  }

  /** Must be called once a node whose deadline had passed has been processed, or has gone. */
  settle(node: string): void {
    this.#passed.delete(node)
    this.observe(node)
  }

  close(): void {
    this.#timer?.close()
  }

  #arm(deadline: number): void {
    const at = Math.max(deadline + 1, this.#notBefore)
    if (at >= this.#at) return
    this.#timer?.close()
    this.#at = at
    const { clock } = this.#options
    this.#timer = clock.after(Math.max(1, at - clock.now()), () => this.#look())
  }

  #look(): void {
    const { clock, nodes, deadlineOf, passed } = this.#options
    const now = clock.now()
    const found: string[] = []
    let earliest = Number.POSITIVE_INFINITY
    for (const node of nodes()) {
      const deadline = this.#passed.has(node) ? undefined : deadlineOf(node)
      if (deadline === undefined) continue
      if (deadline < now) found.push(node)
      else earliest = Math.min(earliest, deadline)
    }
    for (const node of found) this.#passed.add(node)
    this.#at = Number.POSITIVE_INFINITY
    this.#notBefore = now + LOOK_MS
    if (earliest < Number.POSITIVE_INFINITY) this.#arm(earliest)
    passed(found)
  }
}
