import type { PlaneParts } from '../testing/running.ts'
import type { ControlPlane, ControlPlaneOptions } from '../testing/types.ts'
import { CONTROLLER_USERS, ControllerDriver } from './controller-driver.ts'
import { Engine, PATIENCE_MS, type Scenario } from './engine.ts'
import { exploration } from './exploration.ts'
import { readFaultFile } from './fault-file.ts'
import type { Exploration, ExploreOptions, ExploreTest } from './types.ts'

/** Functions of the server's bundle. */
export interface Server {
  readonly startControlPlane: (options?: ControlPlaneOptions) => Promise<ControlPlane>
  readonly partsOf: (plane: ControlPlane) => PlaneParts
}

const RUNS = 200
const LEAST_QUIET_MS = 12

/** Returns `explore` for the server of a bundle. */
export const explorer =
  ({ startControlPlane, partsOf }: Server) =>
  /**
   * Runs a test of a controller under many schedules: watches that are late or cut, stale reads, conflicts, errors, and
   * restarts, as the API's contract allows them. Resolves if the test passes and ends in the same state in all of them.
   * Rejects with an ExploreFailure for the first schedule that fails repeatedly, shrunk to the smallest one.
   */
  async (test: ExploreTest, options: ExploreOptions = {}): Promise<Exploration> => {
    const {
      runs = RUNS,
      seed = 1,
      groups = ['system:masters'],
      ignore = [],
      patienceMs = PATIENCE_MS,
      quietMs,
      invariant,
      replay,
      log = () => {},
    } = options
    for (const [name, value] of Object.entries({ runs, seed, patienceMs, quietMs: quietMs ?? 0 }))
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name}: must be a non-negative integer, got ${value}`)
    const faults = typeof replay === 'string' ? readFaultFile(replay) : replay
    const origin = await startControlPlane(options.controlPlane)
    const scenario: Scenario = {
      subject: { users: CONTROLLER_USERS },
      restarts: true,
      isController: () => true,
      begin: () => new ControllerDriver(test, groups),
    }
    const engine = new Engine({ origin, partsOf, scenario, ignore, patienceMs, invariant }, LEAST_QUIET_MS)
    try {
      return await exploration({ engine, scenario, runs, seed, quietMs, leastQuietMs: LEAST_QUIET_MS, replay: faults, log })
    } finally {
      await engine.close()
      await origin.stop()
    }
  }
