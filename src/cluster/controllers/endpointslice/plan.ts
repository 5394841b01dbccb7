import type { Node, Pod, Service } from '../../../api/core/v1.types.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { isLongStepDone, runIfSteps, runInTurns, type Steps } from '../../../lib/steps.ts'
import { endpointKey, groupInSteps, portsKey, type SliceChanges } from '../../shared/endpoint-slices.ts'
import { mayBeEndpoint } from '../../shared/service-endpoints.ts'
import { endpointOf, endpointPorts, hasFixedPorts, type ServiceAddressType } from './endpoint.ts'
import { type SliceSet, wantsTopologyHints, withoutHints } from './hints.ts'
import { packEndpoints } from './packing.ts'
import { hasOtherLabels, isOwnedBy, isPlaceholder, newSlice, sliceLabels } from './slice.ts'
import type { HintEvent, TopologyHints } from './topology/topology-hints.ts'
import { distributeTraffic, isKnownDistribution } from './traffic-distribution.ts'

/** Input of `planSlices`. */
export interface PlanInput {
  readonly service: Service
  /** Type of the addresses. A dual-stack service is planned once for each. */
  readonly addressType: ServiceAddressType
  /** Pods that the service selects. */
  readonly pods: readonly Pod[]
  /** Slices of the address type that this controller keeps. */
  readonly existing: readonly EndpointSlice[]
  /** Returns a node by name, for zones. Undefined if it does not exist. */
  readonly nodeOf: (name: string) => Node | undefined
  /** Largest number of endpoints in a slice. */
  readonly max: number
  /** Hints by the CPU of zones. Undefined if the release does not have them. */
  readonly topology: TopologyHints | undefined
  /** Whether the release has PreferSameZone and PreferSameNode. */
  readonly hasSameDistribution: boolean
}

/** Result of `planSlices`. */
export interface SlicePlan {
  /** Slices to write. Existing ones that another object owns are removed. */
  readonly changes: SliceChanges
  /** Events about hints, for the service. */
  readonly events: readonly HintEvent[]
  /** Errors about pods that are left out because their node does not exist. The service must be looked at again. */
  readonly errors: readonly string[]
}

/** Endpoints with the same ports. */
interface PortGroup {
  /** Ports as the slices list them. */
  readonly ports: readonly EndpointPort[]
  /** Endpoints by key, so that none is listed twice. */
  readonly endpoints: Map<string, Endpoint>
}

/** Plans the slices of one address type of a service. Corresponds to upstream's reconcileByAddressType. */
export const planSlices = (input: PlanInput): Promise<SlicePlan> => runInTurns(planInSteps(input))

/** Steps of `planSlices`: pods, ports and labels may be very many. */
export function* planInSteps(input: PlanInput): Steps<SlicePlan> {
  const { service, addressType, existing, max } = input
  const [owned, foreign] = [existing.filter(slice => isOwnedBy(slice, service)), existing.filter(slice => !isOwnedBy(slice, service))]
  const byPorts = yield* groupInSteps(owned, ({ ports }) => portsKey(ports))
  const { groups, errors } = yield* desiredGroups(input)
  const changes: SliceChanges = { create: [], update: [], remove: foreign }
  const labels = yield* runIfSteps(sliceLabels(service))
  for (const [key, { ports, endpoints }] of groups) {
    const make = (): Steps<EndpointSlice> => newSlice(service, addressType, ports)
    const differs = (slice: EndpointSlice): Steps<boolean> => hasOtherLabels(slice, service)
    const present = byPorts.get(key) ?? []
    const packed = yield* packEndpoints({ existing: present, desired: endpoints, max, labels, hasOtherLabels: differs, make })
    changes.create.push(...packed.create)
    changes.update.push(...packed.update)
    changes.remove.push(...packed.remove)
  }
  for (const [key, slices] of byPorts) if (!groups.has(key)) changes.remove.push(...slices)
  yield* addPlaceholder(changes, input, labels)
  const changed = new Set([...changes.update, ...changes.remove].map(({ metadata }) => metadata.name))
  const unchanged = existing.filter(({ metadata }) => !changed.has(metadata.name))
  const { slices, events } = setHints({ create: changes.create, update: changes.update, unchanged }, input)
  return { changes: { create: [...slices.create], update: [...slices.update], remove: changes.remove }, events, errors }
}

/** Returns the endpoints that the slices are to have, by the keys of their ports. */
function* desiredGroups({
  service,
  addressType,
  pods,
  nodeOf,
}: PlanInput): Steps<{ readonly groups: Map<string, PortGroup>; readonly errors: string[] }> {
  const groups = new Map<string, PortGroup>()
  const errors: string[] = []
  const isFixed = hasFixedPorts(service)
  let group: PortGroup | undefined
  for (const pod of pods) {
    if (isLongStepDone()) yield
    if (!mayBeEndpoint(pod, true)) continue
    if (!group || !isFixed) group = yield* portGroup(groups, yield* endpointPorts(service, pod))
    const { nodeName = '' } = pod.spec
    const node = nodeOf(nodeName)
    if (!node && !service.spec.publishNotReadyAddresses) {
      errors.push(`skipping Pod ${pod.metadata.name} for Service ${objectKey(service)}: Node ${nodeName} Not Found`)
      continue
    }
    const endpoint = endpointOf(pod, node, service, addressType)
    if (endpoint) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return { groups, errors }
}

/** Returns the group of ports. It is added if it is new. */
function* portGroup(groups: Map<string, PortGroup>, ports: readonly EndpointPort[]): Steps<PortGroup> {
  const key = yield* portsKey(ports)
  const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() }
  groups.set(key, group)
  return group
}

/** A service without endpoints keeps one empty slice. */
function* addPlaceholder(
  { create, remove }: SliceChanges,
  { service, addressType, existing }: PlanInput,
  labels: Readonly<Record<string, string>>,
): Steps<void> {
  if (existing.length !== remove.length || create.length > 0) return
  const [only] = remove
  if (remove.length === 1 && only && isOwnedBy(only, service) && (yield* isPlaceholder(only, labels))) remove.pop()
  else create.push(yield* newSlice(service, addressType, []))
}

/**
 * Sets the hints of a service: those of its annotation, or of its traffic distribution. Without either, there are none.
 */
function setHints(
  set: SliceSet,
  { service, addressType, topology, hasSameDistribution }: PlanInput,
): { slices: SliceSet; events: readonly HintEvent[] } {
  const key = objectKey(service)
  const byTopology = wantsTopologyHints(service.metadata.annotations)
  if (byTopology && topology) return topology.add(key, addressType, set)
  const events = topology?.disable(key, addressType) ?? []
  const { trafficDistribution } = service.spec
  const isDistributed = !byTopology && isKnownDistribution(trafficDistribution, hasSameDistribution)
  return { slices: isDistributed ? distributeTraffic(trafficDistribution, set) : withoutHints(set), events }
}
