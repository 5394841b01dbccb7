import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Pod, PodSpec } from '../../../api/core/v1.types.ts'
import type { RuntimeClass } from '../../../api/node/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { type Awaitable, use } from '../../../lib/awaitable.ts'
import { quote } from '../../../lib/go-quote.ts'
import { clone, deepEqual, ownMember, setMember } from '../../../meta/equal.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { mergeTolerations } from '../../core/pod/tolerations.ts'
import { PODS } from '../../kinds.ts'

/** Reads a runtime class. Undefined if it does not exist. */
export type GetRuntimeClass = (name: string) => Awaitable<RuntimeClass | undefined>

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** Looks up the class of a pod, if it names one. */
function useClass(
  request: AdmissionRequest,
  { spec }: Pod,
  getClass: GetRuntimeClass,
  by: (found: RuntimeClass | undefined) => void,
): Promise<undefined> | undefined {
  const { runtimeClassName: name } = spec
  if (name === undefined) return use(undefined, by)
  return use(getClass(name), found => {
    if (!found) throw refuse(request, `pod rejected: RuntimeClass ${quote(name)} not found`)
    by(found)
  })
}

function setOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): void {
  if (!overhead) return
  if (spec.overhead !== undefined && !deepEqual(spec.overhead, overhead.podFixed)) throw refuse(request, MISMATCH)
  if (overhead.podFixed) spec.overhead = clone(overhead.podFixed)
}

/** Merges the class's selector and tolerations into the pod's. Throws 403 if both select another value of a label. */
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
 * RuntimeClass sets the overhead of the class on pods, and adds the node selector and tolerations of its scheduling.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#runtimeclass
 */
export const runtimeClassAdmission = (getClass: GetRuntimeClass): AdmissionPlugin => ({
  name: 'RuntimeClass',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'pods'),
  mutate: request => {
    const { object } = request
    if (!object) return undefined
    const pod = asKind(PODS, object)
    return useClass(request, pod, getClass, found => {
      if (!found) return
      setOverhead(request, pod.spec, found)
      setScheduling(request, pod.spec, found)
    })
  },
  validate: request => {
    if (!request.object) return undefined
    const pod = asKind(PODS, request.object)
    const { overhead = {} } = pod.spec
    return useClass(request, pod, getClass, found => {
      const wanted = found?.overhead?.podFixed
      if (wanted && !deepEqual(overhead, wanted)) throw refuse(request, MISMATCH)
      if (!wanted && Object.keys(overhead).length > 0) {
        throw refuse(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
      }
    })
  },
})
