import type { JsonObject } from '../../api/meta/object.ts'
import type { StagePlayer } from '../kwok/engine/stage-player.ts'
import { FAST_POD_STAGES, GENERAL_POD_STAGES } from '../kwok/stages/pod-stages.ts'

type ShippedStages = readonly JsonObject[]

/** Stages of pods that kwok ships, by the names that annotations use. */
const SHIPPED: ReadonlyMap<string, ShippedStages> = new Map([
  ['fast', FAST_POD_STAGES],
  ['general', GENERAL_POD_STAGES],
])

/**
 * Players of the stages of pods that kwok ships. Each is made when a pod first needs it: most clusters need none, and
 * compiling them would delay the start.
 */
export class ShippedPlayers {
  readonly #make: (stages: ShippedStages) => StagePlayer
  readonly #made = new Map<string, StagePlayer>()

  constructor(make: (stages: ShippedStages) => StagePlayer) {
    this.#make = make
  }

  /** Returns the player of stages by their name. Undefined if there are none of this name. */
  get(name: string): StagePlayer | undefined {
    const made = this.#made.get(name)
    const stages = SHIPPED.get(name)
    if (made || !stages) return made
    const player = this.#make(stages)
    this.#made.set(name, player)
    return player
  }

  /** Players that were made. The others have no pods. */
  made(): Iterable<StagePlayer> {
    return this.#made.values()
  }
}
