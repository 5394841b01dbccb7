import type { PlaneParts } from '../testing/running.ts'
import type { ControlPlane } from '../testing/types.ts'

/** Number of control planes: one is prepared while the other runs a test. */
const PLANES = 2
/** Number of runs for which a control plane is reset. Its history of changes grows with them. */
const MOST_RUNS = 20
/** Time without a write after which a control plane is ready, in milliseconds. */
const QUIET_MS = 30

/**
 * Control planes for runs, in the state of the one that they are forks of. Resetting a control plane takes less than
 * half the time of opening a fork.
 */
export class PlanePool {
  readonly #origin: ControlPlane
  readonly #partsOf: (plane: ControlPlane) => PlaneParts
  readonly #prepared: Promise<ControlPlane>[]
  readonly #runs = new WeakMap<ControlPlane, number>()

  constructor(origin: ControlPlane, partsOf: (plane: ControlPlane) => PlaneParts) {
    this.#origin = origin
    this.#partsOf = partsOf
    this.#prepared = Array.from({ length: PLANES }, () => this.#opened())
  }

  /** Returns a control plane in the original state, at rest. */
  take(): Promise<ControlPlane> {
    return this.#prepared.shift() ?? this.#opened()
  }

  /** Takes a control plane back. `isReusable`: its run has passed. */
  release(plane: ControlPlane, isReusable: boolean): void {
    const prepared = isReusable && (this.#runs.get(plane) ?? 0) < MOST_RUNS ? this.#reset(plane) : this.#replaced(plane)
    this.#prepared.push(prepared)
    // The failure is reported by `take`.
    prepared.catch(() => {})
  }

  async close(): Promise<void> {
    for (const prepared of this.#prepared.splice(0)) await (await prepared).stop()
  }

  async #opened(): Promise<ControlPlane> {
    const plane = await this.#origin.fork()
    // A server stores its own address when it has started.
    await plane.settled(QUIET_MS)
    this.#partsOf(plane).markBeginning()
    return plane
  }

  async #reset(plane: ControlPlane): Promise<ControlPlane> {
    this.#runs.set(plane, (this.#runs.get(plane) ?? 0) + 1)
    try {
      await plane.reset()
      await plane.settled(QUIET_MS)
    } catch {
      // Something keeps writing to it.
      return this.#replaced(plane)
    }
    this.#partsOf(plane).rules.forgetChanges()
    return plane
  }

  async #replaced(plane: ControlPlane): Promise<ControlPlane> {
    await plane.stop()
    return this.#opened()
  }
}
