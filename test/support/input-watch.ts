import { DEFAULT_LIMITS } from '../../src/upgrade/input-limits.ts'
import { InputWatch } from '../../src/upgrade/input-watch.ts'

/** An input watch with the default limits and a clock that stands still. */
export const quietWatch = (): InputWatch => new InputWatch({ limits: DEFAULT_LIMITS, say: () => {}, now: () => 0 })
