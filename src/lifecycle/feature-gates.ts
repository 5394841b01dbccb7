import { invariant } from '../lib/invariant.ts'
import { GATE_TABLE } from './gate-table.ts'
import { DEFAULT_RELEASE, minorOf, type Release } from './release.ts'

/**
 * Effect of a gate in this server. `read`: both behaviours are implemented. `kinds`: the gate belongs to kinds that are
 * stored, validated and served, without further behaviour; any value is accepted, and `--runtime-config` controls which
 * versions are served. `elsewhere`: it has no effect on kube-apiserver that clients can see (it concerns the kubelet,
 * the scheduler, the proxy or controllers, or tunes internals), or only together with a flag that is not supported here
 * (key management services), so any value is accepted. `fixed`: it changes what clients see, and only one state is
 * implemented.
 */
export type GateEffect = 'read' | 'kinds' | 'elsewhere' | 'fixed'

/** A gate in one release. */
export interface FeatureGate {
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated'
  /** Default value. */
  readonly preset: boolean
  /** Set if the release does not allow another value. */
  readonly locked?: true
  /**
   * Oldest minimum compatibility version, as a minor release, with which a gate is on by default that is off otherwise.
   */
  readonly onWithCompatibility?: number
  readonly effect: GateEffect
  /** The implemented state of a `fixed` gate: that of the default release. */
  readonly built: boolean
}

/** Gates that set all gates of a stage, except those that are set by name. */
export const STAGE_GATES = { AllAlpha: 'Alpha', AllBeta: 'Beta' } as const

/** Gates that code may query. */
export type GateName = keyof typeof GATE_TABLE

/** Reports whether any release has a gate of this name. */
export const isGateName = (name: string): name is GateName => Object.hasOwn(GATE_TABLE, name)

const tables = new Map<Release, Readonly<Record<string, FeatureGate>>>()

/** Returns the gates of a release by name. The table is parsed once per release. */
export function gatesOf(release: Release): Readonly<Record<string, FeatureGate>> {
  const table = tables.get(release) ?? readTable(minorOf(release))
  tables.set(release, table)
  return table
}

/**
 * Returns the value of a gate that a release does not have: off before it was introduced, and its final value after it
 * was removed.
 */
export const valueWithout = (name: GateName, release: Release): boolean => lastState(GATE_TABLE[name], minorOf(release))?.preset ?? false

function readTable(minor: number): Record<string, FeatureGate> {
  const gates: Record<string, FeatureGate> = {}
  for (const [name, history] of Object.entries(GATE_TABLE)) {
    const state = isGone(history, minor) ? undefined : lastState(history, minor)
    if (state === undefined) continue
    const effect = history.slice(0, history.indexOf(' ')) as GateEffect
    gates[name] = { ...state, effect, built: lastState(history, minorOf(DEFAULT_RELEASE))?.preset ?? false }
  }
  return gates
}

const STAGES: Readonly<Record<string, FeatureGate['stage']>> = { A: 'Alpha', B: 'Beta', G: 'GA', D: 'Deprecated' }
const GONE = 'gone'

const isGone = (history: string, minor: number): boolean =>
  history.endsWith(GONE) && Number(history.slice(history.lastIndexOf(' '), -GONE.length)) <= minor

/**
 * Returns the last state that began in this minor release or earlier. A state is two digits, a letter and a sign:
 * ` 31B+`.
 */
function lastState(history: string, minor: number): Pick<FeatureGate, 'stage' | 'preset' | 'locked' | 'onWithCompatibility'> | undefined {
  let found: string | undefined
  let since = 0
  for (let at = history.indexOf(' '); at >= 0; at = history.indexOf(' ', at + 1)) {
    const from = Number(history.slice(at + 1, at + 3))
    if (from > minor) break
    if (history[at + 3] === GONE[0]) continue
    found = history.slice(at + 3, at + 6)
    since = from
  }
  if (found === undefined) return undefined
  const [letter = '', value, mark] = found
  const stage = STAGES[letter]
  invariant(stage !== undefined, `${history} is no history of a feature gate`)
  return { stage, preset: value === '+', ...(mark === 'L' && { locked: true }), ...(mark === 'C' && { onWithCompatibility: since }) }
}
