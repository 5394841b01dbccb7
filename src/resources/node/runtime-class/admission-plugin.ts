import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import { quote } from '../../../lib/go-quote.ts'
import { clone, deepEqual, ownMember, setMember } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { mergeTolerations } from './tolerations.ts'

/** Undefined where there is no class of the name. */
export type GetRuntimeClass = (name: string) => Promise<KubeObject | undefined>

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

async function classOf(request: AdmissionRequest, getClass: GetRuntimeClass): Promise<KubeObject | undefined> {
  const name: string | undefined = request.object?.spec?.runtimeClassName
  if (name === undefined) return undefined
  const found = await getClass(name)
  if (!found) throw refuse(request, `pod rejected: RuntimeClass ${quote(name)} not found`)
  return found
}

function setOverhead(request: AdmissionRequest, { spec }: KubeObject, { overhead }: KubeObject): void {
  if (!overhead) return
  if (spec.overhead !== undefined && !deepEqual(spec.overhead, overhead.podFixed)) throw refuse(request, MISMATCH)
  spec.overhead = clone(overhead.podFixed)
}

function setScheduling(request: AdmissionRequest, { spec }: KubeObject, { scheduling }: KubeObject): void {
  if (!scheduling) return
  const selector = { ...spec.nodeSelector } as Record<string, string>
  for (const [key, value] of Object.entries((scheduling.nodeSelector ?? {}) as Record<string, string>)) {
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
    const found = await classOf(request, getClass)
    if (object && found) {
      setOverhead(request, object, found)
      setScheduling(request, object, found)
    }
    return object
  },
  validate: async request => {
    const overhead: object | undefined = request.object?.spec?.overhead
    const wanted: object | undefined = (await classOf(request, getClass))?.overhead?.podFixed
    if (wanted && !deepEqual(overhead ?? {}, wanted)) throw refuse(request, MISMATCH)
    if (!wanted && Object.keys(overhead ?? {}).length > 0) {
      throw refuse(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
    }
  },
})
