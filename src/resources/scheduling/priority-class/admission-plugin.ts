import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import type { PriorityClass } from '../../../api/scheduling/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { type Awaitable, use } from '../../../lib/awaitable.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS, PRIORITY_CLASSES } from '../../kinds.ts'

/** Access to priority classes. */
export interface PriorityClasses {
  /** Returns undefined if the class does not exist. */
  get(name: string): Awaitable<PriorityClass | undefined>
  list(): Awaitable<readonly PriorityClass[]>
}

const PREEMPTION = 'PreemptLowerPriority'
const COMPUTED = 'must not be provided in pod spec; priority admission controller computed'

/** Returns the default class; if there are several, the one with the lowest value. */
const defaultOf = (classes: readonly PriorityClass[]): PriorityClass | undefined =>
  classes.filter(({ globalDefault }) => globalDefault === true).sort((a, b) => a.value - b.value)[0]

/**
 * Sets the priority of a pod. A named class must exist. Without a name the default class is used and its name set;
 * without a default class the priority is 0 and the policy is PREEMPTION. Values that the client sets must equal the
 * computed ones.
 */
function setPriority(request: AdmissionRequest, { spec }: Pod, found: PriorityClass | undefined): void {
  const { priorityClassName: name = '' } = spec
  if (!found && name !== '') throw refuse(request, `no PriorityClass with name ${name} was found`)
  const priority = found?.value ?? 0
  const policy = found ? found.preemptionPolicy : PREEMPTION
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refuse(request, `the integer value of priority (${spec.priority}) ${COMPUTED} ${priority} from the given PriorityClass name`)
  }
  if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${COMPUTED} ${policy} from the given PriorityClass name`,
    )
  }
  if (found?.metadata.name !== undefined && name === '') spec.priorityClassName = found.metadata.name
  spec.priority = priority
  if (policy !== undefined) spec.preemptionPolicy = policy
}

/** Restores the fields for clients that do not know and therefore omit them. */
function keepPriority({ spec }: Pod, { spec: old }: Pod): undefined {
  if (old.priority !== undefined) spec.priority ??= old.priority
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy
}

/**
 * Priority sets the priority of pods from their class or the default class, and rejects a second default class.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#priority
 */
export const priorityAdmission = (classes: PriorityClasses): AdmissionPlugin => ({
  name: 'Priority',
  handles: request =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    (isAbout(request, 'pods') || isAbout(request, 'priorityclasses.scheduling.k8s.io')),
  mutate: request => {
    const { object, old, operation } = request
    if (!object || !isAbout(request, 'pods')) return undefined
    const pod = asKind(PODS, object)
    if (operation !== 'CREATE') return old && keepPriority(pod, asKind(PODS, old))
    const { priorityClassName: name = '' } = pod.spec
    if (name !== '') return use(classes.get(name), found => setPriority(request, pod, found))
    return use(classes.list(), all => setPriority(request, pod, defaultOf(all)))
  },
  validate: request => {
    const { object, operation } = request
    if (!object || isAbout(request, 'pods') || !asKind(PRIORITY_CLASSES, object).globalDefault) return undefined
    return use(classes.list(), all => {
      const present = defaultOf(all)?.metadata.name
      if (present === undefined || (operation === 'UPDATE' && present === object.metadata.name)) return
      throw refuse(request, `PriorityClass ${present} is already marked as default. Only one default can exist`)
    })
  },
})
