import type { Pod } from '../../../api/core/v1.types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type Steps, sortInSteps } from '../../../lib/steps.ts'
import { checkedPod } from './check.ts'
import { type LevelVersion, levelText } from './level.ts'
import { reasonsText, type Standards } from './standards.ts'

/** Limit on the pods that are checked in one namespace. */
const MOST_PODS = 3000

/** Pods of a namespace with the same violations. */
interface ViolationGroup {
  /** Name of the first pod in sorted order. */
  name: string
  /** Number of pods, the named one included. */
  count: number
}

/** A namespace whose level a client raises, and the limits of the check. */
export interface ExistingPods {
  readonly namespace: string
  /** Pods of the namespace. Each is decoded when its function is called. */
  readonly pods: readonly (() => Pod)[]
  /** New level of the mode `enforce`. */
  readonly level: LevelVersion
  /** Checks of all levels and versions. */
  readonly standards: Standards
  /** Whether pods with this runtime class are exempt. */
  readonly isExempt: (runtimeClass: string | undefined) => boolean
  /** Time on `clock` at which the check stops. Pods that have not been checked by then are skipped. */
  readonly deadline: number
  /** Clock of the deadline. It is read after each pod, so at least one pod is checked. */
  readonly clock: Clock
}

/**
 * Returns warnings about existing pods that would be rejected, for a client that raises the level of their namespace.
 * One pod of each controller is checked before the others.
 */
export function* existingPodWarnings(given: ExistingPods): Steps<string[]> {
  const { namespace, level, standards, deadline, clock } = given
  const pods = yield* inOrderOfInterest(given)
  const groups = new Map<string, ViolationGroup>()
  let looked = 0
  for (const pod of pods.slice(0, MOST_PODS)) {
    looked++
    const violations = yield* standards.violations(level, checkedPod(pod.metadata, pod.spec))
    if (violations.length > 0) countPod(groups, reasonsText(violations), pod.metadata.name ?? '')
    if (clock.now() >= deadline) break
  }
  const warnings = [...groups].map(([reasons, { name, count }]) => `${name}${othersText(count - 1)}: ${reasons}`)
  return [
    ...(looked < pods.length
      ? [`new PodSecurity enforce level only checked against the first ${looked} of ${pods.length} existing pods`]
      : []),
    ...(warnings.length > 0
      ? [`existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(levelText(level))}`]
      : []),
    ...(yield* sortInSteps(warnings, compareText)),
  ]
}

/** Leaves out pods with an exempt runtime class, and moves further pods of a controller to the end. */
function* inOrderOfInterest({ pods, isExempt }: ExistingPods): Steps<Pod[]> {
  const first: Pod[] = []
  const further: Pod[] = []
  const controllers = new Set<string>()
  for (const read of pods) {
    const pod = read()
    yield
    if (isExempt(pod.spec.runtimeClassName)) continue
    const controller = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
    if (controller !== undefined && controllers.has(controller)) further.push(pod)
    else first.push(pod)
    if (controller !== undefined) controllers.add(controller)
  }
  return [...first, ...further]
}

/** Counts a pod in the group with the same reasons, and keeps the first of the names. */
function countPod(groups: Map<string, ViolationGroup>, reasons: string, name: string): void {
  const group = groups.get(reasons)
  if (group === undefined) groups.set(reasons, { name, count: 1 })
  else {
    group.count++
    if (compareText(name, group.name) < 0) group.name = name
  }
}

const othersText = (others: number): string => (others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'pod' : 'pods'})`)
