import type { Endpoint, EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { deepEqualBySize, ownMember } from '../../../meta/equal.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { type EndpointSliceV1beta1, fromV1, HOST_NAME, sliceToV1 } from './v1beta1.ts'
import { validateEndpointSlice } from './validation.ts'

function setEndpointSliceDefaults({ ports }: Pick<EndpointSlice, 'ports'>): void {
  for (const port of ports ?? []) {
    port.name ??= ''
    port.protocol ??= 'TCP'
  }
}

/** The version in which topology may be written. */
const V1BETA1 = 'v1beta1'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
/** Controllers that write canonical addresses. */
const TRUSTED_WRITERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']
/** Fields whose change, like that of labels, increments the generation. */
const FIELDS = ['addressType', 'endpoints', 'ports'] as const

const endpointsOf = (slice: EndpointSlice | undefined): Endpoint[] => slice?.endpoints ?? []
const topologyNode = ({ deprecatedTopology }: Endpoint): string | undefined => ownMember(deprecatedTopology, HOST_NAME)

/**
 * Removes the topology of v1beta1, which cannot be written through v1. A node that only the old topology names is kept,
 * so that a partial update does not lose it.
 */
function* dropTopology(next: EndpointSlice, old: EndpointSlice | undefined): Steps<void> {
  if (old && (yield* deepEqualBySize(old.endpoints, next.endpoints))) return
  const known = new Set(endpointsOf(old).map(topologyNode))
  for (const endpoint of endpointsOf(next)) {
    if (isStepDone()) yield
    const node = topologyNode(endpoint)
    if (endpoint.nodeName === undefined && node && known.has(node) && nameIsDnsSubdomain(node, false).length === 0) endpoint.nodeName = node
    delete endpoint.deprecatedTopology
  }
}

function* hasChanged(next: EndpointSlice, old: EndpointSlice): Steps<boolean> {
  for (const field of FIELDS) if (!(yield* deepEqualBySize(next[field], old[field]))) return true
  return !(yield* deepEqualBySize(next.metadata.labels, old.metadata.labels))
}

/** Warnings for addresses. Slices of controllers that write canonical addresses have none. */
function* addressWarnings(slice: EndpointSlice): Steps<string[]> {
  const warnings: string[] = []
  if (TRUSTED_WRITERS.includes(slice.metadata.labels?.[MANAGED_BY] ?? '')) return warnings
  for (const [i, { addresses }] of endpointsOf(slice).entries()) {
    const path = fieldPath('endpoints').index(i).child('addresses')
    for (const [j, address] of (addresses ?? []).entries()) {
      if (isStepDone()) yield
      warnings.push(...ipWarnings(path.index(j), address))
    }
  }
  return warnings
}

const endpointSliceStrategy: Strategy<EndpointSlice> = {
  metaRounds: ['whole'],
  *prepare(next, old, { request }) {
    if (!old) next.metadata.generation = 1
    else if (yield* hasChanged(next, old)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
    if (request?.info.version !== V1BETA1) yield* dropTopology(next, old)
  },
  validate: validateEndpointSlice,
  *warnings(next, old, { features }) {
    return [
      ...(!old && next.addressType === 'FQDN' && isSince(features.release, '1.27')
        ? ['spec.addressType: FQDN endpoints are deprecated']
        : []),
      ...(isSince(features.release, '1.33') ? yield* addressWarnings(next) : []),
    ]
  },
}

const SHOWN = 3

/** Prints the first three, and how many more there are. */
function shownOf(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN).join(',')
  if (all.length > SHOWN) return `${shown} + ${all.length - SHOWN} more...`
  return shown || '<unset>'
}

const portText = ({ port, name }: EndpointPort): string => String(port ?? name ?? '*')

const endpointSliceTable: TableDefinition<EndpointSlice> = {
  columns: [
    nameColumn,
    column('AddressType', 'Type of the addresses.'),
    column('Ports', 'Ports of the endpoints.'),
    column('Endpoints', 'Addresses of the endpoints.'),
    ageColumn,
  ],
  cells: ({ metadata, addressType, ports, endpoints }, now) => [
    metadata.name ?? '',
    addressType,
    shownOf((ports ?? []).map(portText)),
    shownOf((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<EndpointSlice> = {
  group: 'discovery.k8s.io',
  name: 'v1',
  kind: 'EndpointSlice',
  names: { plural: 'endpointslices', singular: 'endpointslice' },
  verbs: STANDARD_VERBS,
  schema: types.type('discovery.EndpointSlice'),
  setDefaults: setEndpointSliceDefaults,
  table: endpointSliceTable,
}

/** v1beta1 has zone and node in the map `topology`. Served until 1.24, and stored until 1.30. */
const v1beta1: Version<EndpointSliceV1beta1, EndpointSlice> = {
  group: v1.group,
  name: V1BETA1,
  kind: v1.kind,
  names: v1.names,
  verbs: STANDARD_VERBS,
  schema: types.type('discoveryV1beta1.EndpointSlice'),
  toHub: sliceToV1,
  fromHub: fromV1,
  setDefaults: setEndpointSliceDefaults,
}

/**
 * A part of the endpoints of a service. Its address type is immutable.
 * https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/
 * Source of its rules: pkg/registry/discovery/endpointslice.
 */
export const endpointSliceResource = defineResource<EndpointSlice>({
  scope: 'Namespaced',
  versions: [v1, v1beta1],
  hub: v1,
  storage: { prefix: 'endpointslices', version: v1 },
  strategy: endpointSliceStrategy,
})
