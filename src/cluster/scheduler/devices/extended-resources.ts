import type { Container, ContainerExtendedResourceRequest, Pod } from '../../../api/core/v1.types.ts'
import type { DeviceClass, DeviceRequest, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { quantityValue } from '../../../meta/quantity.ts'
import { timeMillis } from '../../../meta/time.ts'
import type { ResourceAmounts } from '../../shared/pod-requests.ts'
import { isSidecar } from '../../shared/pods.ts'
import type { ClusterObjects } from '../snapshot.ts'

/**
 * Extended resources that devices of a class provide: the name that the class states, and this prefix with the name of
 * the class.
 */
const CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/'
/** Annotation of claims that stand for the extended resources of a pod. Value: `true`. */
const EXTENDED_CLAIM = 'resource.kubernetes.io/extended-resource-claim'
/** Name of a claim that is not stored yet. No stored claim can have it. */
const UNSTORED = '<extended-resources>'

/** Reports whether devices may provide a resource. Source: IsDRAExtendedResourceName of pkg/scheduler/util. */
export const mayBeDevices = (name: string): boolean =>
  name.startsWith(CLASS_PREFIX) || (name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.'))

/**
 * Returns the names of the device classes that provide requested resources, by resource. If several state the same
 * name, the newest counts.
 */
export function classesOfResources(requests: ResourceAmounts, objects: ClusterObjects): ReadonlyMap<string, string> {
  const wanted = new Set([...requests].flatMap(([name, amount]) => (amount > 0 && mayBeDevices(name) ? [name] : [])))
  const found = new Map<string, string>()
  if (wanted.size === 0) return found
  const classes = [...objects.list<DeviceClass>('DeviceClass')].sort(compareClasses)
  for (const { metadata, spec } of classes)
    for (const name of [spec.extendedResourceName, `${CLASS_PREFIX}${metadata.name}`])
      if (name !== undefined && wanted.has(name) && !found.has(name)) found.set(name, metadata.name ?? '')
  return found
}

const createdAt = ({ metadata }: DeviceClass): number => timeMillis(metadata.creationTimestamp) ?? 0

const compareClasses = (a: DeviceClass, b: DeviceClass): number =>
  createdAt(b) - createdAt(a) || compareText(a.metadata.name ?? '', b.metadata.name ?? '')

/** Returns the claim that an earlier attempt has made for the extended resources of a pod. */
export const storedExtendedClaim = (pod: Pod, objects: ClusterObjects): ResourceClaim | undefined =>
  objects
    .list<ResourceClaim>('ResourceClaim', pod.metadata.namespace)
    .find(
      ({ metadata }) =>
        metadata.annotations?.[EXTENDED_CLAIM] === 'true' &&
        metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid),
    )

/** A claim for the extended resources of a pod, with the requests that each container uses. */
export interface ExtendedClaim {
  readonly claim: ResourceClaim
  readonly mappings: readonly ContainerExtendedResourceRequest[]
}

/**
 * Returns a claim for the resources of a pod that devices have to provide. It has no name yet: see
 * `claimToCreate`. @param classes classes by resource
 */
export function extendedClaim(pod: Pod, classes: ReadonlyMap<string, string>): ExtendedClaim {
  const { name = '', namespace, uid = '' } = pod.metadata
  const { requests, mappings } = requestsAndMappings(pod, classes)
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }
  const metadata = {
    name: UNSTORED,
    ...(namespace !== undefined && { namespace }),
    uid: `${UNSTORED} of ${uid}`,
    generateName: `${name}-extended-resources-`,
    ownerReferences: [owner],
    annotations: { [EXTENDED_CLAIM]: 'true' },
  }
  return {
    claim: { kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1', metadata, spec: { devices: { requests } }, status: {} },
    mappings,
  }
}

/** Returns an extended claim without what is only known in the process. */
export function claimToCreate({ metadata, ...claim }: ResourceClaim): ResourceClaim {
  const { name: _, uid: __, ...rest } = metadata
  return { ...claim, metadata: rest, status: {} }
}

interface RequestsAndMappings {
  readonly requests: DeviceRequest[]
  readonly mappings: ContainerExtendedResourceRequest[]
}

/**
 * Returns the requests of the containers. Init containers use what later containers request, and share what they need
 * beyond that. Source: createRequestsAndMappings.
 */
function requestsAndMappings({ spec }: Pod, classes: ReadonlyMap<string, string>): RequestsAndMappings {
  const init = spec.initContainers ?? []
  const containers = [...init, ...(spec.containers ?? [])]
  const isShortLived = (i: number): boolean => i < init.length && !isSidecar(containers[i] as Container)
  const requests: DeviceRequest[] = []
  const mappings: ContainerExtendedResourceRequest[] = []
  for (const [resource, className] of [...classes].sort(([a], [b]) => compareText(a, b))) {
    const lasting: (DeviceRequest | undefined)[] = containers.map((container, i) => {
      if (isShortLived(i)) return undefined
      const made = containerRequest(i, container, resource, className, [])
      mappings.push(...made.mappings)
      return made.request
    })
    const shortLived = shortLivedRequest(containers, isShortLived, resource, className, lasting)
    if (shortLived.request) requests.push(shortLived.request)
    mappings.push(...shortLived.mappings)
    requests.push(...lasting.flatMap(request => request ?? []))
  }
  return { requests: requests.sort((a, b) => compareText(a.name, b.name)), mappings }
}

interface ContainerRequest {
  readonly request?: DeviceRequest
  readonly mappings: readonly ContainerExtendedResourceRequest[]
}

/** Returns the largest request of the containers that end before others start. It serves all of them. */
function shortLivedRequest(
  containers: readonly Container[],
  isShortLived: (index: number) => boolean,
  resource: string,
  className: string,
  lasting: readonly (DeviceRequest | undefined)[],
): ContainerRequest {
  const own = new Set<string>()
  const mappings: ContainerExtendedResourceRequest[] = []
  let largest: DeviceRequest | undefined
  for (const [i, container] of containers.entries()) {
    if (!isShortLived(i)) continue
    const made = containerRequest(i, container, resource, className, lasting.slice(i))
    mappings.push(...made.mappings)
    if (made.request === undefined) continue
    own.add(made.request.name)
    if (largest === undefined || countOf(made.request) > countOf(largest)) largest = made.request
  }
  if (largest === undefined) return { mappings }
  const { name } = largest
  return { request: largest, mappings: mappings.map(each => (own.has(each.requestName) ? { ...each, requestName: name } : each)) }
}

const countOf = ({ exactly }: DeviceRequest): number => Number(exactly?.count ?? 0)

/** Returns the request of a container for a resource, less what it can reuse. */
function containerRequest(
  index: number,
  { name: containerName, resources }: Container,
  resourceName: string,
  deviceClassName: string,
  reusable: readonly (DeviceRequest | undefined)[],
): ContainerRequest {
  const amounts = resources?.requests ?? {}
  const wanted = Object.hasOwn(amounts, resourceName) ? Number(quantityValue(amounts[resourceName])) : 0
  if (wanted === 0) return { mappings: [] }
  const mappings: ContainerExtendedResourceRequest[] = []
  let sum = 0
  for (const request of reusable) {
    if (request === undefined) continue
    sum += countOf(request)
    mappings.push({ containerName, resourceName, requestName: request.name })
    if (sum >= wanted) return { mappings }
  }
  const requestName = `container-${index}-request-${Object.keys(amounts).sort(compareText).indexOf(resourceName)}`
  const exactly = { deviceClassName, allocationMode: 'ExactCount' as const, count: wanted - sum }
  return { request: { name: requestName, exactly }, mappings: [...mappings, { containerName, resourceName, requestName }] }
}
