import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { quote } from '../../../lib/go-quote.ts'
import { clone, deepEqual, ownMember, setMember } from '../../../meta/equal.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import type { Pod, PodSpec } from '../../core/v1.types.ts'
import { PODS } from '../../kinds.ts'
import type { RuntimeClass } from '../v1.types.ts'
import { mergeTolerations } from './tolerations.ts'

/** Undefined where there is no class of the name. */
export type GetRuntimeClass = (name: string) => Promise<RuntimeClass | undefined>

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

async function classOf(request: AdmissionRequest, { spec }: Pod, getClass: GetRuntimeClass): Promise<RuntimeClass | undefined> {
  const { runtimeClassName: name } = spec
  if (name === undefined) return undefined
  const found = await getClass(name)
  if (!found) throw refuse(request, `pod rejected: RuntimeClass ${quote(name)} not found`)
  return found
}

function setOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): void {
  if (!overhead) return
  if (spec.overhead !== undefined && !deepEqual(spec.overhead, overhead.podFixed)) throw refuse(request, MISMATCH)
  if (overhead.podFixed) spec.overhead = clone(overhead.podFixed)
}

function setScheduling(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): void {
  if (!scheduling) return
  const selector = { ...spec.nodeSelector }
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = ownMember(selector, key)
    if (own !== undefined && own !== value) {
      throw refuse(request, `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`)
    }
    setMember(selector, key, value)
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector
  const tolerations = mergeTolerations(spec.tolerations ?? [], clone(scheduling.tolerations ?? []))
  if (tolerations.length > 0) spec.tolerations = tolerations
}

/**
 * RuntimeClass: gives pods the overhead of the class that they name, and keeps them to the nodes that offer it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#runtimeclass
 */
export const runtimeClassAdmission = (getClass: GetRuntimeClass): AdmissionPlugin => ({
  name: 'RuntimeClass',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'pods'),
  mutate: async request => {
    const { object } = request
    if (!object) return object
    const pod = asKind(PODS, object)
    const found = await classOf(request, pod, getClass)
    if (found) {
      setOverhead(request, pod.spec, found)
      setScheduling(request, pod.spec, found)
    }
    return object
  },
  validate: async request => {
    if (!request.object) return
    const pod = asKind(PODS, request.object)
    const { overhead = {} } = pod.spec
    const wanted = (await classOf(request, pod, getClass))?.overhead?.podFixed
    if (wanted && !deepEqual(overhead, wanted)) throw refuse(request, MISMATCH)
    if (!wanted && Object.keys(overhead).length > 0) {
      throw refuse(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
    }
  },
})
