import type { Config } from '../config/config.ts'
import { Runtime, type RuntimeOptions } from '../control-plane/runtime.ts'
import { FaultRules } from '../faults/rules.ts'
import { systemClock } from '../lib/clock.ts'

/** The runtime of one server: with faults where they are given, or where objects may say them. */
export const runtimeOf = (config: Config, { clock = systemClock, faults, ...rest }: RuntimeOptions = {}): Runtime =>
  new Runtime({ ...rest, clock, faults: faults ?? (config.faults ? new FaultRules(clock) : undefined) })
