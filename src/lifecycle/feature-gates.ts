import { invariant } from '../lib/invariant.ts'
import { GATE_TABLE } from './gate-table.ts'
import { DEFAULT_RELEASE, minorOf, type Release } from './release.ts'

/**
 * What setting a gate does here. `read`: the server has both behaviours. `kinds`: it belongs to kinds that are stored, validated and served, and no more than that as yet; any value is
 * accepted, and which of their versions are served is decided by `--runtime-config`. `elsewhere`: kube-apiserver itself does nothing by it that a client sees (the kubelet, the scheduler, the
 * proxy and controllers do, or it only tunes its insides), or it does so with a flag alone that is refused here (key management services), so any value is accepted. `fixed`: it changes what a client sees and only one way is built.
 */
export type GateEffect = 'read' | 'kinds' | 'elsewhere' | 'fixed'

/** A gate as a release has it. */
export interface FeatureGate {
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated'
  /** Where nothing is given. */
  readonly preset: boolean
  /** The release lets nobody change it. */
  readonly locked?: true
  readonly effect: GateEffect
  /** The only way that is built of a `fixed` gate: that of the default release. */
  readonly built: boolean
}

/** Gates that switch whole stages, for those gates that are not given by name. */
export const STAGE_GATES = { AllAlpha: 'Alpha', AllBeta: 'Beta' } as const

/** The gates that code may ask for. */
export type GateName = keyof typeof GATE_TABLE

/** Whether some release has a gate of the name. */
export const isGateName = (name: string): name is GateName => Object.hasOwn(GATE_TABLE, name)

const tables = new Map<Release, Readonly<Record<string, FeatureGate>>>()

/** The gates of a release by name. The table is read once for each release that is asked for. */
export function gatesOf(release: Release): Readonly<Record<string, FeatureGate>> {
  const table = tables.get(release) ?? readTable(minorOf(release))
  tables.set(release, table)
  return table
}

/** The value of a gate that a release does not have: off before it came, and as it ended afterwards. */
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

const isGone = (history: string, minor: number): boolean => history.endsWith(GONE) && Number(history.slice(history.lastIndexOf(' '), -GONE.length)) <= minor

/** The last state that began in this minor release or before it. A state is two digits, a letter and a sign: ` 31B+`. */
function lastState(history: string, minor: number): Pick<FeatureGate, 'stage' | 'preset' | 'locked'> | undefined {
  let found: string | undefined
  for (let at = history.indexOf(' '); at >= 0; at = history.indexOf(' ', at + 1)) {
    if (Number(history.slice(at + 1, at + 3)) > minor) break
    if (history[at + 3] !== GONE[0]) found = history.slice(at + 3, at + 6)
  }
  if (found === undefined) return undefined
  const [letter = '', value, lock] = found
  const stage = STAGES[letter]
  invariant(stage !== undefined, `${history} is no history of a feature gate`)
  return { stage, preset: value === '+', ...(lock === 'L' && { locked: true }) }
}
