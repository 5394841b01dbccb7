import type { Endpoint, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { endpointKey, isSameEndpoint, type SliceChanges } from '../../shared/endpoint-slices.ts'
import { withMembers } from '../../shared/with-members.ts'

export interface PackingInput {
  /** Slices with the same ports and address type. */
  readonly existing: readonly EndpointSlice[]
  /** Endpoints by their keys. */
  readonly desired: ReadonlyMap<string, Endpoint>
  /** Largest number of endpoints in a slice. */
  readonly max: number
  /** Labels that the slices are to have. */
  readonly labels: Readonly<Record<string, string>>
  /** Whether the labels of a slice must be changed. */
  readonly hasOtherLabels: (slice: EndpointSlice) => Steps<boolean>
  /** Returns an empty slice. */
  readonly make: () => Steps<EndpointSlice>
}

/** A slice whose endpoints can be changed. */
interface OpenSlice extends EndpointSlice {
  endpoints: Endpoint[]
}

const sizeOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0

/**
 * Distributes endpoints over slices with few writes. Endpoints stay in their slices. New ones fill slices that change
 * anyway, the fullest first; what is left goes to the slice that it fills best, or to new slices. Slices are never
 * merged. A step looks at one slice, or at some of very many labels. Corresponds to upstream's reconcileByPortMapping.
 */
export function* packEndpoints({ existing, desired, max, labels, hasOtherLabels, make }: PackingInput): Steps<SliceChanges> {
  const left = new Map(desired)
  const changed: OpenSlice[] = []
  const unchanged = new Set<EndpointSlice>()
  const remove: EndpointSlice[] = []
  for (const slice of existing) {
    yield
    const { endpoints, isChanged } = keptEndpoints(slice, left)
    if (isChanged && endpoints.length === 0) remove.push(slice)
    else if (isChanged || (yield* hasOtherLabels(slice)))
      changed.push({ ...slice, metadata: { ...slice.metadata, labels: yield* runIfSteps(withMembers(labels)) }, endpoints })
    else unchanged.add(slice)
  }
  for (const slice of changed.toSorted((a, b) => sizeOf(b) - sizeOf(a))) fill(slice, left, max)
  const create: EndpointSlice[] = []
  while (left.size > 0) {
    yield
    const roomy = left.size < max ? bestFit(unchanged, left.size, max) : undefined
    const slice: OpenSlice = { ...(roomy ?? (yield* make())), endpoints: [...(roomy?.endpoints ?? [])] }
    fill(slice, left, max)
    if (roomy) {
      unchanged.delete(roomy)
      changed.push(slice)
    } else create.push(slice)
  }
  return { create, update: changed, remove }
}

/** Takes the endpoints of a slice that are still desired out of the desired ones. */
function keptEndpoints(slice: EndpointSlice, left: Map<string, Endpoint>): { readonly endpoints: Endpoint[]; readonly isChanged: boolean } {
  const endpoints: Endpoint[] = []
  let isChanged = false
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint)
    const wanted = left.get(key)
    if (!wanted) continue
    if (!isSameEndpoint(wanted, endpoint)) isChanged = true
    endpoints.push(wanted)
    left.delete(key)
  }
  return { endpoints, isChanged: isChanged || endpoints.length !== sizeOf(slice) }
}

function fill(slice: OpenSlice, left: Map<string, Endpoint>, max: number): void {
  for (const [key, endpoint] of left) {
    if (slice.endpoints.length >= max) return
    slice.endpoints.push(endpoint)
    left.delete(key)
  }
}

/**
 * Returns the slice with the least room left after `count` endpoints are added. Undefined if none has room for all of
 * them.
 */
function bestFit(slices: Iterable<EndpointSlice>, count: number, max: number): EndpointSlice | undefined {
  let best: EndpointSlice | undefined
  let least = max
  for (const slice of slices) {
    const room = max - count - sizeOf(slice)
    if (room >= 0 && room < least) [best, least] = [slice, room]
  }
  return best
}
