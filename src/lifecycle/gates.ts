import { invariant } from '../lib/invariant.ts'
import { type FeatureGate, type GateName, gatesOf, isGateName, STAGE_GATES, valueWithout } from './feature-gates.ts'
import { unmetDependencies } from './gate-dependencies.ts'
import { minorOf, previousRelease, type Release } from './release.ts'

/** Thrown for a gate or version that cannot be enabled. The message is for the user. */
export class LifecycleError extends Error {
  override readonly name = 'LifecycleError'
}

/** Release and feature gates of a server. Hooks of kinds query them. */
export interface Features {
  readonly release: Release
  /**
   * Oldest release that the server must be compatible with (`--min-compatibility-version`). New expressions must
   * compile in it.
   */
  readonly compatibility: Release
  /**
   * Whether a gate is on. A gate that the release no longer has keeps its last value, and one that it does not have yet
   * is off.
   */
  enabled(gate: GateName): boolean
}

/** Feature gates of a running server. */
export interface Gates extends Features {
  /** Returns the gates of the release, including `AllAlpha` and `AllBeta`. */
  states(): FeatureState[]
  /** Warnings to log about gates that are set although they will be removed, in kube-apiserver's words. */
  readonly warnings: readonly string[]
}

/** State of a gate. */
export interface FeatureState {
  readonly name: string
  readonly stage: FeatureGate['stage']
  readonly enabled: boolean
}

/**
 * Sets gates by name, and by `AllAlpha` and `AllBeta` for the other gates of that stage. Throws LifecycleError: for
 * unknown and locked gates with kube-apiserver's message, for states that are not implemented, and for gates that are
 * on while a required gate is off.
 */
export function parseGates(
  release: Release,
  given: ReadonlyMap<string, boolean> = new Map(),
  compatibility = previousRelease(release),
): Gates {
  const known = gatesOf(release)
  const values = new Map(
    Object.entries(known).map(([name, { preset, onWithCompatibility = Infinity }]) => [
      name,
      preset || minorOf(compatibility) >= onWithCompatibility,
    ]),
  )
  for (const [stageGate, stage] of Object.entries(STAGE_GATES)) {
    const value = given.get(stageGate)
    if (value === undefined) continue
    for (const [name, gate] of Object.entries(known)) {
      // A gate that is set by name keeps its value whatever its stage gate is.
      if (gate.stage !== stage || given.has(name)) continue
      checkGate(name, gate, value, ` (by ${stageGate}=${value})`)
      values.set(name, value)
    }
  }
  const warnings: string[] = []
  for (const [name, value] of given) {
    if (Object.hasOwn(STAGE_GATES, name)) continue
    const gate = Object.hasOwn(known, name) ? known[name] : undefined
    if (!gate) throw new LifecycleError(`unrecognized feature gate: ${name}`)
    checkGate(name, gate, value, '')
    if (gate.stage === 'GA') warnings.push(`Setting GA feature gate ${name}=${value}. It will be removed in a future release.`)
    if (gate.stage === 'Deprecated')
      warnings.push(`Setting deprecated feature gate ${name}=${value}. It will be removed in a future release.`)
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
      // The gate belongs to another release. Its history is parsed once.
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

/**
 * Throws LifecycleError if the gate is locked, or if the state is not implemented. `by` names the stage gate that sets
 * it, for the message.
 */
function checkGate(name: string, { preset, locked, effect, built }: FeatureGate, value: boolean, by: string): void {
  if (locked && value !== preset) throw new LifecycleError(`cannot set feature gate ${name} to ${value}, feature is locked to ${preset}`)
  if (effect === 'fixed' && value !== built)
    throw new LifecycleError(`${name}=${value}${by} is not implemented, and ignoring it would change what the server does`)
}
