import type { EndpointPort as CorePort, EndpointAddress, Endpoints, Service } from '../../../api/core/v1.types.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { isLongStepDone, isStepDone, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { parseIp, printIp } from '../../../meta/ip.ts'
import {
  endpointKey,
  groupInSteps,
  isSameEndpoint,
  MANAGED_BY,
  portsKey,
  SERVICE_NAME,
  type SliceChanges,
  slicePrefix,
} from '../../shared/endpoint-slices.ts'
import { repackSubsets } from '../../shared/endpoint-subsets.ts'
import { ENDPOINTS } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { hasSelector, LAST_CHANGE, LEADER } from '../../shared/service-endpoints.ts'
import { areSameMembers, withMembers } from '../../shared/with-members.ts'

/** Name of this controller in the label of its slices. */
export const CONTROLLER = 'endpointslicemirroring-controller.k8s.io'
/**
 * Largest number of addresses of a subset that are mirrored, as kube-controller-manager's
 * --mirroring-max-endpoints-per-subset by default.
 */
export const MAX_PER_SUBSET = 1000

/** Label of Endpoints that are not mirrored. */
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
/** Annotations that slices do not take: the time, and that of kubectl apply, which would be wrong for them. */
const NOT_MIRRORED: readonly string[] = [LAST_CHANGE, 'kubectl.kubernetes.io/last-applied-configuration']
/** Labels of a slice that do not come from the Endpoints. */
const OWN_LABELS: readonly string[] = [SERVICE_NAME, MANAGED_BY]

/** Whether Endpoints are not mirrored: a label says so, or they are the lock of a leader election. */
export const isExcluded = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[SKIP] === 'true' || annotations?.[LEADER] !== undefined

/** Whether Endpoints are mirrored: their service exists and selects no pods. */
export const isMirrored = (endpoints: Endpoints, service: Service | undefined): boolean =>
  !isExcluded(endpoints) && service !== undefined && !hasSelector(service)

/** Endpoints with the same address type and ports. */
interface MirrorGroup {
  readonly addressType: 'IPv4' | 'IPv6'
  readonly ports: readonly EndpointPort[]
  /** Endpoints by their key, each once. */
  readonly endpoints: Map<string, Endpoint>
}

/** Writes that make slices mirror Endpoints, and what they leave out. */
export interface MirrorPlan {
  readonly changes: SliceChanges
  /** Number of addresses that are no IP addresses. */
  readonly invalid: number
  /** Number of addresses that are not mirrored, invalid ones included. */
  readonly skipped: number
}

/**
 * Plans the slices that mirror Endpoints: one for each address type and set of ports. Corresponds to upstream's
 * reconcile. Addresses, ports, labels and annotations may be very many.
 */
export function* planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): Steps<MirrorPlan> {
  const { groups, invalid, skipped } = yield* mirrorGroups(endpoints)
  const byKey = yield* groupInSteps(existing, function* ({ addressType, ports }) {
    return `${addressType} ${yield* portsKey(ports)}`
  })
  const changes: SliceChanges = { create: [], update: [], remove: [] }
  for (const [key, group] of groups) {
    const [first, ...others] = byKey.get(key) ?? []
    changes.remove.push(...others)
    if (!first) changes.create.push(yield* mirrorSlice(endpoints, group, undefined))
    else if (!(yield* isMirrorOf(first, endpoints, group))) changes.update.push(yield* mirrorSlice(endpoints, group, first.metadata.name))
  }
  for (const [key, slices] of byKey) if (!groups.has(key)) changes.remove.push(...slices)
  return { changes, invalid, skipped }
}

/** Groups the addresses of Endpoints, of each subset at most MAX_PER_SUBSET. Subsets are in their canonical form. */
function* mirrorGroups(endpoints: Endpoints): Steps<{
  readonly groups: Map<string, MirrorGroup>
  readonly invalid: number
  readonly skipped: number
}> {
  const groups = new Map<string, MirrorGroup>()
  let [invalid, skipped] = [0, 0]
  const subsets = yield* repackSubsets(endpoints.subsets ?? [])
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const slicePorts = yield* mirroredPorts(ports)
    const portsText = yield* portsKey(slicePorts)
    const all = [...addresses.map(address => ({ address, ready: true })), ...notReadyAddresses.map(address => ({ address, ready: false }))]
    let added = 0
    for (const { address, ready } of all) {
      if (added === MAX_PER_SUBSET) break
      if (isLongStepDone()) yield
      const ip = parseIp(address.ip)
      if (!ip) {
        invalid++
        continue
      }
      added++
      const addressType = ip.length === 4 ? 'IPv4' : 'IPv6'
      const key = `${addressType} ${portsText}`
      const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map<string, Endpoint>() }
      groups.set(key, group)
      const endpoint = mirroredEndpoint(address, printIp(ip), ready)
      group.endpoints.set(endpointKey(endpoint), endpoint)
    }
    skipped += all.length - added
  }
  return { groups, invalid, skipped }
}

const mirroredEndpoint = ({ hostname, nodeName, targetRef }: EndpointAddress, ip: string, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname && { hostname }),
  ...(targetRef && { targetRef }),
  ...(nodeName !== undefined && { nodeName }),
})

function* mirroredPorts(ports: readonly CorePort[]): Steps<EndpointPort[]> {
  const mirrored: EndpointPort[] = []
  for (const { name = '', port, protocol = 'TCP', appProtocol } of ports) {
    if (isStepDone()) yield
    mirrored.push({ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) })
  }
  return mirrored
}

/** @param name name of the slice that is replaced. Undefined for a new slice. */
function* mirrorSlice(
  endpoints: Endpoints,
  { addressType, ports, endpoints: desired }: MirrorGroup,
  name: string | undefined,
): Steps<EndpointSlice> {
  const own = { [SERVICE_NAME]: endpoints.metadata.name ?? '', [MANAGED_BY]: CONTROLLER }
  const annotations = yield* runIfSteps(withMembers(endpoints.metadata.annotations))
  for (const annotation of NOT_MIRRORED) delete annotations[annotation]
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      namespace: endpoints.metadata.namespace ?? '',
      ...(name === undefined ? { generateName: slicePrefix(endpoints.metadata.name ?? '') } : { name }),
      labels: yield* runIfSteps(withMembers(endpoints.metadata.labels, own)),
      annotations,
      ownerReferences: [controllerReference(ENDPOINTS, endpoints)],
    },
    addressType,
    ports: [...ports],
    endpoints: [...desired.values()].slice(0, MAX_PER_SUBSET),
  }
}

/** Reports whether a slice needs no write. */
function* isMirrorOf(
  { metadata: { labels, annotations }, endpoints: present }: EndpointSlice,
  endpoints: Endpoints,
  { endpoints: desired }: MirrorGroup,
): Steps<boolean> {
  return (
    (present ?? []).length === desired.size &&
    (present ?? []).every(endpoint => {
      const wanted = desired.get(endpointKey(endpoint))
      return wanted !== undefined && isSameEndpoint(wanted, endpoint)
    }) &&
    (yield* areSameMembers(labels, endpoints.metadata.labels, OWN_LABELS, [])) &&
    (yield* areSameMembers(annotations, endpoints.metadata.annotations, [], NOT_MIRRORED))
  )
}
