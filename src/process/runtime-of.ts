import type { Config } from '../config/config.ts'
import { Runtime, type RuntimeOptions } from '../control-plane/runtime.ts'
import { FaultRules } from '../faults/rules.ts'
import { systemClock } from '../lib/clock.ts'
import { RecentRequests } from '../why/recent-requests.ts'

/**
 * Returns the runtime of one server. It has fault rules if they are given or objects may define them (`--faults`), and
 * records recent requests if `--why` is set.
 */
export const runtimeOf = (config: Config, { clock = systemClock, faults, ...rest }: RuntimeOptions = {}): Runtime =>
  new Runtime({ ...rest, clock, recent: recentOf(config), faults: faults ?? (config.requests.faults ? new FaultRules(clock) : undefined) })

const recentOf = ({ observability: { why }, access: { authorization }, process: { workers } }: Config): RecentRequests | undefined =>
  why === 0 ? undefined : new RecentRequests(why, authorization.modes, workers > 1 ? String(process.pid) : undefined)
