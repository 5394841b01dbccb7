import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual, ownMember } from '../../../meta/equal.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../../core/checks.ts'
import { validateEndpointSlice } from './validation.ts'

const HOST_NAME = 'kubernetes.io/hostname'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
/** Controllers that write addresses in their canonical form. */
const TRUSTED_WRITERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']
const FIELDS = ['addressType', 'endpoints', 'ports']

const endpointsOf = (slice: KubeObject | undefined): ApiStruct[] => slice?.endpoints ?? []
const topologyNode = (endpoint: ApiStruct): string | undefined => ownMember(endpoint.deprecatedTopology as Record<string, string> | undefined, HOST_NAME)

/** Hints for nodes came with the gate PreferSameTrafficDistribution; where they are kept already, they stay. */
function dropNodeHints(next: KubeObject, old: KubeObject | undefined): void {
  if (endpointsOf(old).some(({ hints }) => hints?.forNodes)) return
  for (const { hints } of endpointsOf(next)) if (hints) delete hints.forNodes
}

/** The topology of v1beta1 cannot be written through v1. A node that was told only there is kept, so that a partial update does not lose it. */
function dropTopology(next: KubeObject, old: KubeObject | undefined): void {
  if (old && deepEqual(old.endpoints, next.endpoints)) return
  const known = new Set(endpointsOf(old).map(topologyNode))
  for (const endpoint of endpointsOf(next)) {
    const node = topologyNode(endpoint)
    if (endpoint.nodeName === undefined && node && known.has(node) && nameIsDnsSubdomain(node, false).length === 0) endpoint.nodeName = node
    delete endpoint.deprecatedTopology
  }
}

const hasChanged = (next: KubeObject, old: KubeObject): boolean =>
  FIELDS.some(field => !deepEqual(next[field], old[field])) || !deepEqual(next.metadata.labels, old.metadata.labels)

function addressWarnings(slice: KubeObject): string[] {
  if (TRUSTED_WRITERS.includes(slice.metadata.labels?.[MANAGED_BY] ?? '')) return []
  return endpointsOf(slice).flatMap(({ addresses }, i) =>
    ((addresses ?? []) as string[]).flatMap((address, j) => ipWarnings(fieldPath('endpoints').index(i).child('addresses').index(j), address)),
  )
}

export const endpointSliceStrategy: Strategy = {
  revalidatesMeta: true,
  prepare(next, old) {
    if (!old) next.metadata.generation = 1
    else if (hasChanged(next, old)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
    dropNodeHints(next, old)
    dropTopology(next, old)
  },
  validate: validateEndpointSlice,
  warnings: (next, old) => [...(!old && next.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []), ...addressWarnings(next)],
}
