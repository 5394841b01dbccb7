import type { Timer, TimerClock } from '../../lib/clock.ts'

/** Interval between two renewals of a lease, in milliseconds: a quarter of its duration, as in a kubelet. */
export const RENEW_MS = 10_000
/** Time between two slots. */
const SLOT_MS = 1000
const SLOTS = RENEW_MS / SLOT_MS
/** Number of nodes that share a slot before the next one is used, so that few nodes need only one timer. */
const NODES_PER_SLOT = 100

/** Nodes that are renewed at the same time. */
interface Slot {
  readonly nodes: Set<string>
  /** Undefined while the slot has no nodes. */
  timer: Timer | undefined
}

/**
 * Spreads renewals over time. Each node is renewed once in ten seconds, in one of ten slots that are a second apart:
 * thousands of nodes are renewed in small groups, with times of rest between them.
 */
export class RenewalSlots {
  readonly #clock: TimerClock
  readonly #renew: (node: string) => void
  readonly #start: number
  readonly #slots: readonly Slot[] = Array.from({ length: SLOTS }, () => ({ nodes: new Set<string>(), timer: undefined }))
  readonly #slotOf = new Map<string, number>()
  #added = 0
  #isClosed = false

  constructor(clock: TimerClock, renew: (node: string) => void) {
    this.#clock = clock
    this.#renew = renew
    this.#start = clock.now()
  }

  /** Adds a node, unless it has been added. */
  add(node: string): void {
    if (this.#isClosed || this.#slotOf.has(node)) return
    const index = Math.floor(this.#added++ / NODES_PER_SLOT) % SLOTS
    this.#slotOf.set(node, index)
    const slot = this.#slots[index]
    slot?.nodes.add(node)
    if (slot && slot.timer === undefined) this.#arm(slot, index)
  }

  /** Removes a node. The timer of an empty slot is stopped. */
  remove(node: string): void {
    const index = this.#slotOf.get(node)
    if (index === undefined) return
    this.#slotOf.delete(node)
    const slot = this.#slots[index]
    slot?.nodes.delete(node)
    if (slot?.nodes.size === 0) {
      slot.timer?.close()
      slot.timer = undefined
    }
  }

  /** Stops all timers. Later additions have no effect. */
  close(): void {
    this.#isClosed = true
    for (const slot of this.#slots) slot.timer?.close()
  }

  /** Sets the timer of a slot to its next time. Times that passed while the machine slept are left out. */
  #arm(slot: Slot, index: number): void {
    const since = this.#clock.now() - this.#start - index * SLOT_MS
    const left = RENEW_MS - (((since % RENEW_MS) + RENEW_MS) % RENEW_MS)
    slot.timer = this.#clock.after(left, () => {
      this.#arm(slot, index)
      for (const node of slot.nodes) this.#renew(node)
    })
  }
}
