import type { Endpoint, EndpointHints, EndpointSlice } from '../../../api/discovery/v1.types.ts'

/** Slices of one address type: new ones, changed ones, and those of the informer that stay as they are. */
export interface SliceSet {
  /** New slices, whose names the server generates. */
  readonly create: readonly EndpointSlice[]
  /** Changed slices, with the metadata of the stored ones. */
  readonly update: readonly EndpointSlice[]
  /** Slices of the informer, which must not be changed. */
  readonly unchanged: readonly EndpointSlice[]
}

/** Whether an endpoint is ready. Unknown counts as not ready. */
export const isEndpointReady = ({ conditions }: Endpoint): boolean => conditions.ready === true

/** Returns a slice whose endpoints have other hints. The given slice is not changed. */
export const withHints = (slice: EndpointSlice, hintsOf: (endpoint: Endpoint) => EndpointHints | undefined): EndpointSlice => ({
  ...slice,
  endpoints: (slice.endpoints ?? []).map(endpoint => withHint(endpoint, hintsOf(endpoint))),
})

/** Returns an endpoint with other hints. Without hints the member is removed. */
export function withHint(endpoint: Endpoint, hints: EndpointHints | undefined): Endpoint {
  if (endpoint.hints === hints) return endpoint
  const { hints: _, ...rest } = endpoint
  return hints === undefined ? rest : { ...rest, hints }
}

/** Removes all hints. Unchanged slices with hints are updated. */
export function withoutHints({ create, update, unchanged }: SliceSet): SliceSet {
  const hasHints = ({ endpoints }: EndpointSlice): boolean => (endpoints ?? []).some(({ hints }) => hints !== undefined)
  const clear = (slice: EndpointSlice): EndpointSlice => withHints(slice, () => undefined)
  return {
    create: create.map(clear),
    update: [...update, ...unchanged.filter(hasHints)].map(clear),
    unchanged: unchanged.filter(slice => !hasHints(slice)),
  }
}

/** Annotation that enables hints since 1.27. */
const MODE = 'service.kubernetes.io/topology-mode'
/** Former annotation, which is still read. */
const OLD_MODE = 'service.kubernetes.io/topology-aware-hints'

/** Whether the annotations of a service enable hints by the CPU of zones. The older annotation takes precedence. */
export function wantsTopologyHints(annotations: Readonly<Record<string, string>> = {}): boolean {
  const mode = annotations[OLD_MODE] ?? annotations[MODE]
  return mode === 'Auto' || mode === 'auto'
}
