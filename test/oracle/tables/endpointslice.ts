import type { Node, Pod, Service } from '../../../src/api/core/v1.types.ts'
import type { Endpoint, EndpointSlice } from '../../../src/api/discovery/v1.types.ts'
import { addressTypesOf, endpointConditions, endpointPorts } from '../../../src/cluster/controllers/endpointslice/endpoint.ts'
import { wantsTopologyHints } from '../../../src/cluster/controllers/endpointslice/hints.ts'
import { packEndpoints } from '../../../src/cluster/controllers/endpointslice/packing.ts'
import { sliceLabels } from '../../../src/cluster/controllers/endpointslice/slice.ts'
import { exchangeOf } from '../../../src/cluster/controllers/endpointslice/topology/allocations.ts'
import { TopologyHints } from '../../../src/cluster/controllers/endpointslice/topology/topology-hints.ts'
import { zoneCpuOf } from '../../../src/cluster/controllers/endpointslice/topology/zone-cpu.ts'
import { type HintedSlice, hintCounts, redistributeHints } from '../../../src/cluster/controllers/endpointslice/topology/zone-hints.ts'
import { distributeTraffic } from '../../../src/cluster/controllers/endpointslice/traffic-distribution.ts'
import { endpointKey } from '../../../src/cluster/shared/endpoint-slices.ts'
import { endpointHostname, mayBeEndpoint } from '../../../src/cluster/shared/service-endpoints.ts'
import { resultAtOnce, runAtOnce } from '../../../src/lib/steps.ts'
import { noSteps } from '../../support/counted-steps.ts'
import { podOf } from '../../support/scheduling.ts'

type Counts = Readonly<Record<string, number>>
type PartialSlice = Omit<EndpointSlice, 'metadata' | 'addressType' | 'ports' | 'kind' | 'apiVersion'>

const mapOf = <T>(record: Readonly<Record<string, T>> | null | undefined): Map<string, T> => new Map(Object.entries(record ?? {}))
const recordOf = (counts: Iterable<readonly [string, number]>): Counts => Object.fromEntries(counts)

/** Returns slices with names, and without the nulls of Go's pointers. */
const slicesOf = (slices: readonly PartialSlice[] | null | undefined, prefix = 's'): HintedSlice[] =>
  (slices ?? []).map(({ endpoints }, i) => ({
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name: `${prefix}${i}` },
    addressType: 'IPv4',
    ports: [],
    endpoints: (endpoints ?? []).map(
      (endpoint): Endpoint => ({ ...(dropNulls(endpoint) as Endpoint), conditions: endpoint.conditions ?? {} }),
    ),
  }))

const dropNulls = (object: object): object => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

const serviceOf = (service: Partial<Service> & { spec?: Partial<Service['spec']> }): Service => {
  const complete: unknown = {
    kind: 'Service',
    apiVersion: 'v1',
    ...service,
    metadata: { name: '<service>', namespace: 'default', ...service.metadata },
  }
  return complete as Service
}

function nodeCpuRatios({ nodes }: { nodes: { zone: string; cpu: string; ready: string; labels?: Record<string, string> }[] }): object {
  const made = nodes.map(({ zone, cpu, ready, labels }): Node => {
    const node: unknown = {
      metadata: { labels: { ...(zone && { 'topology.kubernetes.io/zone': zone }), ...labels } },
      status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: ready }] },
    }
    return node as Node
  })
  const zones = zoneCpuOf(made)
  return {
    expectSufficientNodeInfo: zones !== undefined,
    expectedCPUByZone: zones?.cpu ?? null,
    expectedRatios: zones ? recordOf(zones.ratios) : null,
  }
}

interface TopologyIn {
  readonly cpuRatiosByZone: Counts | null
  readonly sliceInfo: {
    readonly serviceKey: string
    readonly addressType: string
    readonly toCreate?: PartialSlice[]
    readonly toUpdate?: PartialSlice[]
    readonly unchanged?: PartialSlice[]
  }
}

function topologyHints({ cpuRatiosByZone, sliceInfo: { serviceKey, addressType, toCreate, toUpdate, unchanged } }: TopologyIn): object {
  const topology = new TopologyHints()
  topology.ratios = cpuRatiosByZone === null ? undefined : mapOf(cpuRatiosByZone)
  const set = { create: slicesOf(toCreate, 'c'), update: slicesOf(toUpdate, 'u'), unchanged: slicesOf(unchanged, 'n') }
  const { slices, events } = topology.add(serviceKey, addressType, set)
  const shown = events.map(({ type, reason, message }) => ({
    eventType: type,
    reason,
    message: message.replace(`, addressType: ${addressType}`, ''),
  }))
  return { expectedSlicesToCreate: slices.create, expectedSlicesToUpdate: slices.update, expectedEvents: shown }
}

interface TrafficIn {
  readonly trafficDistribution?: string | null
  readonly slicesToCreate?: PartialSlice[]
  readonly slicesToUpdate?: PartialSlice[]
  readonly slicesUnchanged?: PartialSlice[]
}

function trafficDistribution({ trafficDistribution: distribution, slicesToCreate, slicesToUpdate, slicesUnchanged }: TrafficIn): object {
  const set = { create: slicesOf(slicesToCreate, 'c'), update: slicesOf(slicesToUpdate, 'u'), unchanged: slicesOf(slicesUnchanged, 'n') }
  const { create, update, unchanged } = distributeTraffic(distribution ?? undefined, set)
  return { wantSlicesToCreate: create, wantSlicesToUpdate: update, wantSlicesUnchanged: unchanged }
}

/** Sizes of slices after endpoints are added: those that exist in their order, then new ones. */
function packedSizes(existing: readonly number[], add: number, max: number): number[] {
  let next = 0
  const endpoints = (count: number): Endpoint[] =>
    Array.from({ length: count }, () => ({ addresses: [`10.0.${next >> 8}.${next++ & 255}`], conditions: {} }))
  const slices = slicesOf(existing.map(count => ({ endpoints: endpoints(count) })))
  const desired = new Map(
    [...slices.flatMap(slice => slice.endpoints), ...endpoints(add)].map(endpoint => [endpointKey(endpoint), endpoint]),
  )
  const [empty] = slicesOf([{ endpoints: [] }], 'new')
  const { create, update, remove } = runAtOnce(
    packEndpoints({
      existing: slices,
      desired,
      max,
      labels: {},
      hasOtherLabels: () => noSteps(false),
      make: () => noSteps(empty as HintedSlice),
    }),
  )
  const sizeOf = (slice: EndpointSlice): number => slice.endpoints?.length ?? 0
  const kept = slices
    .filter(slice => !remove.includes(slice))
    .map(slice => update.find(({ metadata }) => metadata.name === slice.metadata.name) ?? slice)
  return [...kept, ...create].map(sizeOf)
}

interface IncludedIn {
  readonly phase: NonNullable<Pod['status']['phase']>
  readonly ip: boolean
  readonly terminating?: boolean
}

const DELETED = { deletionTimestamp: '2030-01-01T00:00:00Z' }

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'hints-enabled': wantsTopologyHints,
  'giving-receiving-zones'({
    allocations,
    allocatedHintsByZone,
  }: {
    allocations: Record<string, { desired: number }>
    allocatedHintsByZone: Counts
  }) {
    const { giving, receiving } = exchangeOf(mapOf(allocations), mapOf(allocatedHintsByZone))
    return { expectedGivingZones: recordOf(giving), expectedReceivingZones: recordOf(receiving) }
  },
  'hints-by-zone'(given: { slice: PartialSlice; allocations: Record<string, { maximum: number }>; allocatedHintsByZone: Counts }) {
    const [slice] = slicesOf([given.slice])
    const counts = hintCounts(slice as HintedSlice, mapOf(given.allocatedHintsByZone), mapOf(given.allocations))
    return { expectedHintsByZone: counts ? recordOf(counts) : null }
  },
  'redistribute-hints'({ slices, givingZones, receivingZones }: { slices: PartialSlice[]; givingZones: Counts; receivingZones: Counts }) {
    const changes = redistributeHints(slicesOf(slices), { giving: mapOf(givingZones), receiving: mapOf(receivingZones) })
    return { expectedRedistributions: recordOf(changes) }
  },
  'node-cpu-ratios': nodeCpuRatios,
  'topology-hints': topologyHints,
  'traffic-distribution': trafficDistribution,
  'address-types'({ service }: { service: { spec: Partial<Service['spec']> & { ipFamilies: Service['spec']['ipFamilies'] | null } } }) {
    return { expectedAddressTypes: addressTypesOf(serviceOf({ spec: dropNulls(service.spec) as Service['spec'] })) }
  },
  ports({ service, pod }: { service: Partial<Service>; pod: { spec: Pod['spec'] } }) {
    return { expectedPorts: runAtOnce(endpointPorts(serviceOf(service), podOf({ spec: pod.spec }))) }
  },
  'pod-conditions'({
    podReady,
    terminating,
    publishNotReadyAddresses,
  }: {
    podReady: boolean
    terminating: boolean
    publishNotReadyAddresses: boolean
  }) {
    const conditions = [{ type: 'Ready', status: podReady ? 'True' : 'False' }] as Pod['status']['conditions']
    const pod = podOf({ metadata: terminating ? DELETED : {}, status: { ...(conditions && { conditions }) } })
    return endpointConditions(pod, serviceOf({ spec: { publishNotReadyAddresses } }))
  },
  'pod-included': ({ phase, ip, terminating = false }: IncludedIn) =>
    mayBeEndpoint(podOf({ metadata: terminating ? DELETED : {}, status: { phase, ...(ip && { podIP: '10.0.0.1' }) } }), true),
  hostname({
    hostname,
    subdomain,
    service,
    sameNamespace,
  }: {
    hostname: string
    subdomain: string
    service: string
    sameNamespace: boolean
  }) {
    const namespace = sameNamespace ? 'default' : 'other'
    return endpointHostname(podOf({ spec: { hostname, subdomain } }), serviceOf({ metadata: { name: service, namespace } })) ?? null
  },
  labels: ({ serviceLabels, clusterIP = '10.0.0.1' }: { serviceLabels: Record<string, string>; clusterIP?: string }) =>
    resultAtOnce(
      sliceLabels(serviceOf({ metadata: { name: '<service>', namespace: 'default', labels: serviceLabels }, spec: { clusterIP } })),
    ),
  packing: ({ existing, add, max }: { existing: number[]; add: number; max: number }) => packedSizes(existing, add, max),
  'max-per-slice': ({ endpoints, max }: { endpoints: number; max: number }) => packedSizes([], endpoints, max),
  events: 'a text: scenarios check it',
}
