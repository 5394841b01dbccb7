import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import type { ApiStruct } from '../checks.ts'
import { claimFaults, podFaults } from './constraints.ts'

/** The LimitRanges of a namespace. */
export type ListLimitRanges = (namespace: string) => Promise<readonly KubeObject[]>

const ANNOTATION = 'kubernetes.io/limit-ranger'
/** As many values as a body may have. */
const MOST_ADDED = 65_536

/** Adds what the container does not say of itself. Told are the names of what was added. */
function addMissing(container: ApiStruct, list: 'requests' | 'limits', defaults: Readonly<Record<string, string>>): string[] {
  const added = Object.keys(defaults)
    .filter(name => !Object.hasOwn(container.resources?.[list] ?? {}, name))
    .sort()
  if (added.length === 0) return []
  container.resources = { ...container.resources, [list]: { ...container.resources?.[list] } }
  for (const name of added) setMember(container.resources[list], name, defaults[name])
  return added
}

/** Gives the containers of a new pod the default requests and limits of a LimitRange, and says so in an annotation. False where that would be very many. */
function setDefaults({ spec: { limits = [] } = {} }: KubeObject, pod: KubeObject): boolean {
  const requests: Record<string, string> = {}
  const most: Record<string, string> = {}
  for (const { type, defaultRequest, default: limit } of limits as ApiStruct[]) {
    if (type === 'Container') {
      Object.assign(requests, defaultRequest)
      Object.assign(most, limit)
    }
  }
  const told: string[] = []
  let count = 0
  const tell = (added: readonly string[], what: string, container: ApiStruct): void => {
    count += added.length
    if (added.length > 0) told.push(`${added.join(', ')} ${what} ${container.name ?? ''}`)
  }
  const complete = (container: ApiStruct, what: string): void => {
    if (count > MOST_ADDED) return
    const limited = addMissing(container, 'limits', most)
    tell(addMissing(container, 'requests', requests), `request for ${what}`, container)
    tell(limited, `limit for ${what}`, container)
  }
  for (const container of pod.spec?.containers ?? []) complete(container, 'container')
  for (const container of pod.spec?.initContainers ?? []) complete(container, 'init container')
  if (told.length > 0) pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${told.join('; ')}` }
  return count <= MOST_ADDED
}

const isPod = (request: AdmissionRequest): boolean => isAbout(request, 'pods')

/** Pods keep what they have when they are updated, but for a resize. */
function handles(request: AdmissionRequest): boolean {
  const { operation, subresource, served, old } = request
  if (old?.metadata.deletionTimestamp !== undefined) return false
  if (operation === 'CREATE') return isPod(request) || isAbout(request, 'persistentvolumeclaims')
  if (operation !== 'UPDATE') return false
  return isAbout(request, 'persistentvolumeclaims') || (subresource === 'resize' && served.version.group === '' && served.version.names.plural === 'pods')
}

/** Of several, each is told once. */
function joined(faults: readonly string[]): string {
  const told = [...new Set(faults)]
  return told.length === 1 ? told.join() : `[${told.join(', ')}]`
}

/**
 * LimitRanger: pods and claims keep within the LimitRanges of their namespace, and containers get what those have as a default.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitranger
 */
export const limitRanger = (list: ListLimitRanges): AdmissionPlugin => ({
  name: 'LimitRanger',
  handles,
  mutate: async request => {
    const { object, namespace } = request
    if (!object || !isPod(request)) return object
    for (const range of await list(namespace)) {
      if (!setDefaults(range, object)) throw refuse(request, `LimitRange ${range.metadata.name} has too many defaults for a pod of so many containers`)
    }
    return object
  },
  validate: async request => {
    const { object, namespace, served, ctx } = request
    if (!object) return
    const faultsOf = served.version.names.plural === 'pods' ? podFaults : claimFaults
    for (const range of await list(namespace)) {
      const faults = await runInTurns(faultsOf(range, object), ctx.signal)
      if (faults.length > 0) throw refuse(request, joined(faults))
    }
  },
})
