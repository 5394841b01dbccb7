import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import type { PriorityClass } from '../../../api/scheduling/v1.types.ts'
import type { PodGroup } from '../../../api/scheduling/v1beta1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { type Awaitable, use } from '../../../lib/awaitable.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { COMPOSITE_POD_GROUPS, POD_GROUPS, PODS, PRIORITY_CLASSES } from '../../kinds.ts'

/** Access to priority classes. */
export interface PriorityClasses {
  /** Returns undefined if the class does not exist. */
  get(name: string): Awaitable<PriorityClass | undefined>
  list(): Awaitable<readonly PriorityClass[]>
}

const PREEMPTION = 'PreemptLowerPriority'
const computed = (kind: string): string => `must not be provided in ${kind} spec; priority admission controller computed`
const COMPUTED = computed('pod')

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

/** Spec of a group of pods, as far as its priority goes. */
type GroupSpec = Pick<PodGroup['spec'], 'priority' | 'priorityClassName' | 'preemptionPolicy'>

/**
 * Sets the priority of a group of pods, as of a pod. @param hasPolicy whether groups have a preemption policy, which
 * comes from the class as well
 */
function setGroupPriority(request: AdmissionRequest, spec: GroupSpec, found: PriorityClass | undefined, hasPolicy: boolean): void {
  const { priorityClassName: name = '' } = spec
  if (!found && name !== '') throw refuse(request, `no PriorityClass with name ${name} was found`)
  const priority = found?.value ?? 0
  const from = 'from the given PriorityClass name'
  if (spec.priority !== undefined && spec.priority !== priority)
    throw refuse(request, `the integer value of priority (${spec.priority}) ${computed('pod group')} ${priority} ${from}`)
  if (found?.metadata.name !== undefined && name === '') spec.priorityClassName = found.metadata.name
  spec.priority = priority
  if (!hasPolicy) return
  const policy = found?.preemptionPolicy || PREEMPTION
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(request, `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed('pod group')} ${policy} ${from}`)
  spec.preemptionPolicy = policy
}

/** Returns the spec of a group of pods. Undefined if the request is about another kind. */
function groupSpecOf(request: AdmissionRequest): GroupSpec | undefined {
  const { object } = request
  if (object === undefined) return undefined
  if (isAbout(request, 'podgroups.scheduling.k8s.io')) return asKind(POD_GROUPS, object).spec
  return isAbout(request, 'compositepodgroups.scheduling.k8s.io') ? asKind(COMPOSITE_POD_GROUPS, object).spec : undefined
}

/** Reports whether groups of pods have a priority. */
const groupsHavePriority = (features: Features): boolean => isSince(features.release, '1.37') || features.enabled('WorkloadAwarePreemption')

const isAboutGroups = (request: AdmissionRequest, features: Features): boolean =>
  request.operation === 'CREATE' && groupSpecOf(request) !== undefined && groupsHavePriority(features)

/** Restores the fields for clients that do not know and therefore omit them. */
function keepPriority({ spec }: Pod, { spec: old }: Pod): undefined {
  if (old.priority !== undefined) spec.priority ??= old.priority
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy
}

/**
 * Priority sets the priority of pods, and of groups of pods, from their class or the default class, and rejects a
 * second default class.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#priority
 */
export const priorityAdmission = (classes: PriorityClasses, features: Features): AdmissionPlugin => ({
  name: 'Priority',
  handles: request =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    (isAbout(request, 'pods') || isAbout(request, 'priorityclasses.scheduling.k8s.io') || isAboutGroups(request, features)),
  mutate: request => {
    const { object, old, operation } = request
    const group = operation === 'CREATE' ? groupSpecOf(request) : undefined
    if (group) {
      const hasPolicy = features.enabled('PodGroupPreemptionPolicy')
      if (group.priorityClassName)
        return use(classes.get(group.priorityClassName), found => setGroupPriority(request, group, found, hasPolicy))
      return use(classes.list(), all => setGroupPriority(request, group, defaultOf(all), hasPolicy))
    }
    if (!object || !isAbout(request, 'pods')) return undefined
    const pod = asKind(PODS, object)
    if (operation !== 'CREATE') return old && keepPriority(pod, asKind(PODS, old))
    const { priorityClassName: name = '' } = pod.spec
    if (name !== '') return use(classes.get(name), found => setPriority(request, pod, found))
    return use(classes.list(), all => setPriority(request, pod, defaultOf(all)))
  },
  validate: request => {
    const { object, operation } = request
    if (!object || !isAbout(request, 'priorityclasses.scheduling.k8s.io')) return undefined
    if (!asKind(PRIORITY_CLASSES, object).globalDefault) return undefined
    return use(classes.list(), all => {
      const present = defaultOf(all)?.metadata.name
      if (present === undefined || (operation === 'UPDATE' && present === object.metadata.name)) return
      throw refuse(request, `PriorityClass ${present} is already marked as default. Only one default can exist`)
    })
  },
})
