import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'

export interface PriorityClasses {
  /** Undefined where there is none of the name. */
  get(name: string): Promise<KubeObject | undefined>
  list(): Promise<readonly KubeObject[]>
}

const PREEMPTION = 'PreemptLowerPriority'
const COMPUTED = 'must not be provided in pod spec; priority admission controller computed'

/** Of several the one of the lowest value. */
const defaultOf = (classes: readonly KubeObject[]): KubeObject | undefined =>
  classes.filter(({ globalDefault }) => globalDefault === true).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0]

async function setPriority(request: AdmissionRequest, pod: KubeObject, classes: PriorityClasses): Promise<void> {
  const { spec } = pod
  const name: string = spec.priorityClassName ?? ''
  const found = name === '' ? defaultOf(await classes.list()) : await classes.get(name)
  if (!found && name !== '') throw refuse(request, `no PriorityClass with name ${name} was found`)
  const priority: number = found?.value ?? 0
  const policy: string | undefined = found ? found.preemptionPolicy : PREEMPTION
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refuse(request, `the integer value of priority (${spec.priority}) ${COMPUTED} ${priority} from the given PriorityClass name`)
  }
  if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw refuse(request, `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${COMPUTED} ${policy} from the given PriorityClass name`)
  }
  if (found && name === '') spec.priorityClassName = found.metadata.name
  spec.priority = priority
  if (policy !== undefined) spec.preemptionPolicy = policy
}

/** Clients that do not know the fields do not take them away. */
function keepPriority(pod: KubeObject, old: KubeObject | undefined): void {
  for (const member of ['priority', 'preemptionPolicy']) if (old?.spec?.[member] !== undefined) pod.spec[member] ??= old.spec[member]
}

/**
 * Priority: gives pods the number of their class, or of the default one, and lets one class only be the default.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#priority
 */
export const priorityAdmission = (classes: PriorityClasses): AdmissionPlugin => ({
  name: 'Priority',
  handles: request =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') && (isAbout(request, 'pods') || isAbout(request, 'priorityclasses.scheduling.k8s.io')),
  mutate: async request => {
    const { object, old, operation } = request
    if (!object || !isAbout(request, 'pods')) return object
    if (operation === 'CREATE') await setPriority(request, object, classes)
    else keepPriority(object, old)
    return object
  },
  validate: async request => {
    const { object, operation } = request
    if (!object?.globalDefault || isAbout(request, 'pods')) return
    const present = defaultOf(await classes.list())?.metadata.name
    if (present === undefined || (operation === 'UPDATE' && present === object.metadata.name)) return
    throw refuse(request, `PriorityClass ${present} is already marked as default. Only one default can exist`)
  },
})
