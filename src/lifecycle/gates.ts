import { invariant } from '../lib/invariant.ts'
import { type FeatureGate, type GateName, gatesOf, isGateName, STAGE_GATES, valueWithout } from './feature-gates.ts'
import { unmetDependencies } from './gate-dependencies.ts'
import { previousRelease, type Release } from './release.ts'

/** What is given for gates or versions can't be had; the message is for the user. */
export class LifecycleError extends Error {
  override readonly name = 'LifecycleError'
}

/** What the API of a server has: a release, and its feature gates as they are set. Hooks of kinds ask it. */
export interface Features {
  readonly release: Release
  /** The oldest release beside which the server runs (`--min-compatibility-version`): new expressions must be understood by it. */
  readonly compatibility: Release
  enabled(gate: GateName): boolean
}

/** The feature gates that a server runs with. */
export interface Gates extends Features {
  /** All of the release, `AllAlpha` and `AllBeta` among them. */
  states(): FeatureState[]
  /** What the log says of gates that are given although they are on their way out, in kube-apiserver's words. */
  readonly warnings: readonly string[]
}

/** One gate as the server runs with it. */
export interface FeatureState {
  readonly name: string
  readonly stage: FeatureGate['stage']
  readonly enabled: boolean
}

/**
 * The gates of a release with some of them set by name, and `AllAlpha` and `AllBeta` for the rest of their stage. Throws LifecycleError: for names that the release does not know
 * and for locked ones in kube-apiserver's words, for those that are not built the other way, and for those that are on while what they need is off.
 */
export function parseGates(release: Release, given: ReadonlyMap<string, boolean> = new Map(), compatibility = previousRelease(release)): Gates {
  const known = gatesOf(release)
  const values = new Map(Object.entries(known).map(([name, gate]) => [name, gate.preset]))
  for (const [stageGate, stage] of Object.entries(STAGE_GATES)) {
    const value = given.get(stageGate)
    if (value === undefined) continue
    for (const [name, gate] of Object.entries(known)) {
      // A gate that is given by name keeps that value, whatever its stage gate says.
      if (gate.stage !== stage || given.has(name)) continue
      check(name, gate, value, ` (by ${stageGate}=${value})`)
      values.set(name, value)
    }
  }
  const warnings: string[] = []
  for (const [name, value] of given) {
    if (Object.hasOwn(STAGE_GATES, name)) continue
    const gate = Object.hasOwn(known, name) ? known[name] : undefined
    if (!gate) throw new LifecycleError(`unrecognized feature gate: ${name}`)
    check(name, gate, value, '')
    if (gate.stage === 'GA') warnings.push(`Setting GA feature gate ${name}=${value}. It will be removed in a future release.`)
    if (gate.stage === 'Deprecated') warnings.push(`Setting deprecated feature gate ${name}=${value}. It will be removed in a future release.`)
    values.set(name, value)
  }
  const unmet = unmetDependencies(release, values)
  if (unmet.length > 0) throw new LifecycleError(unmet.length === 1 ? unmet.join() : `[${unmet.join(', ')}]`)
  return {
    release,
    compatibility,
    enabled: gate => {
      const known = values.get(gate)
      if (known !== undefined) return known
      invariant(isGateName(gate), `there is no feature gate ${gate}`)
      // Of another release: its history is read once.
      const value = valueWithout(gate, release)
      values.set(gate, value)
      return value
    },
    warnings,
    states: () => [
      ...Object.entries(STAGE_GATES).map(([name, stage]) => ({ name, stage, enabled: given.get(name) ?? false })),
      ...Object.entries(known).map(([name, { stage }]) => ({ name, stage, enabled: values.get(name) ?? false })),
    ],
  }
}

/** Throws LifecycleError for a locked gate, then for a state that is not built. `by`: the stage gate that sets it, for the message. */
function check(name: string, { preset, locked, effect, built }: FeatureGate, value: boolean, by: string): void {
  if (locked && value !== preset) throw new LifecycleError(`cannot set feature gate ${name} to ${value}, feature is locked to ${preset}`)
  if (effect === 'fixed' && value !== built)
    throw new LifecycleError(`${name}=${value}${by} is not implemented, and ignoring it would change what the server does`)
}
