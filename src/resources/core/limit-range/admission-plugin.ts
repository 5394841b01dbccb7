import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Container, LimitRange, Pod } from '../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { type Awaitable, after, use } from '../../../lib/awaitable.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { CLAIMS, PODS } from '../../kinds.ts'
import { claimFaults, podFaults } from './constraints.ts'

/** Lists the LimitRanges of a namespace. */
export type ListLimitRanges = (namespace: string) => Awaitable<readonly LimitRange[]>

const ANNOTATION = 'kubernetes.io/limit-ranger'
/** Limit on the defaults that are added to one pod: as many as the values that a request body may have. */
const MOST_ADDED = 65_536

/** Adds defaults that the container does not set itself. Returns the names of the added resources, sorted. */
function addMissing(container: Container, list: 'requests' | 'limits', defaults: Readonly<Record<string, string>>): string[] {
  const own = container.resources[list] ?? {}
  const added = Object.keys(defaults)
    .filter(name => !Object.hasOwn(own, name))
    .sort()
  if (added.length === 0) return []
  const amounts = { ...own }
  for (const name of added) setMember(amounts, name, defaults[name])
  container.resources = { ...container.resources, [list]: amounts }
  return added
}

/**
 * Sets the default requests and limits of a LimitRange on the containers of a pod, and records them in an annotation.
 * Returns false if there are too many to add.
 */
function setContainerDefaults({ spec }: LimitRange, pod: Pod): boolean {
  const requests: Record<string, string> = {}
  const most: Record<string, string> = {}
  for (const { type, defaultRequest, default: limit } of spec.limits ?? []) {
    if (type === 'Container') {
      Object.assign(requests, defaultRequest)
      Object.assign(most, limit)
    }
  }
  const notes: string[] = []
  let count = 0
  const note = (added: readonly string[], what: string, container: Container): void => {
    count += added.length
    if (added.length > 0) notes.push(`${added.join(', ')} ${what} ${container.name}`)
  }
  const complete = (container: Container, what: string): void => {
    if (count > MOST_ADDED) return
    // Limits are filled in first, but the annotation lists requests first.
    const limited = addMissing(container, 'limits', most)
    note(addMissing(container, 'requests', requests), `request for ${what}`, container)
    note(limited, `limit for ${what}`, container)
  }
  for (const container of pod.spec.containers ?? []) complete(container, 'container')
  for (const container of pod.spec.initContainers ?? []) complete(container, 'init container')
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` }
  return count <= MOST_ADDED
}

const isPod = (request: AdmissionRequest): boolean => isAbout(request, 'pods')

/**
 * Updates of pods are not checked, except for a resize. Every update of a claim is. Objects that are being deleted are
 * skipped.
 */
function handles(request: AdmissionRequest): boolean {
  const { operation, old } = request
  if (old?.metadata.deletionTimestamp !== undefined) return false
  if (operation === 'CREATE') return isPod(request) || isAbout(request, 'persistentvolumeclaims')
  if (operation !== 'UPDATE') return false
  return isAbout(request, 'persistentvolumeclaims') || isAbout(request, 'pods', 'resize')
}

/**
 * LimitRanger rejects pods and claims that violate a LimitRange of their namespace, and gives containers its default
 * requests and limits. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitranger
 */
export const limitRanger = (list: ListLimitRanges): AdmissionPlugin => ({
  name: 'LimitRanger',
  handles,
  mutate: request => {
    const { object, namespace } = request
    if (!object || !(isPod(request) || isAbout(request, 'pods', 'resize'))) return undefined
    const pod = asKind(PODS, object)
    return use(list(namespace), ranges => {
      for (const range of ranges)
        if (!setContainerDefaults(range, pod))
          throw refuse(request, `LimitRange ${range.metadata.name} has too many defaults for a pod of so many containers`)
    })
  },
  validate: request => {
    const { object, namespace } = request
    if (!object) return undefined
    return after(list(namespace), ranges => (ranges.length === 0 ? undefined : checkRanges(request, object, ranges)))
  },
})

async function checkRanges(request: AdmissionRequest, object: KubeObject, ranges: readonly LimitRange[]): Promise<void> {
  const ofPod = request.served.version.names.plural === 'pods'
  for (const range of ranges) {
    const found = ofPod ? podFaults(range, asKind(PODS, object)) : claimFaults(range, asKind(CLAIMS, object))
    const faults = await runInTurns(found, request.ctx.signal)
    if (faults.length > 0) throw refuse(request, aggregate(faults))
  }
}
