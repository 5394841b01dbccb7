import type { EndpointSubset, Endpoints, Service } from '../../../api/core/v1.types.ts'
import { runAtOnce, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import { formatTime } from '../../../meta/time.ts'
import { HEADLESS, hasClusterIP, LAST_CHANGE } from '../../shared/service-endpoints.ts'
import { withMembers } from '../../shared/with-members.ts'
import { isOverCapacity, truncated } from './subsets.ts'

/** Label that tells this controller's Endpoints from those of users. */
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
const CONTROLLER = 'endpoint-controller'
/** Annotation of Endpoints that lack addresses, because an object may have only a thousand. */
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

/** Input of `endpointsOf`. */
export interface EndpointsInput {
  readonly service: Service
  /** Subsets of all ready and unready pods, before truncation. */
  readonly subsets: readonly EndpointSubset[]
  /** Present Endpoints. Undefined if there are none. */
  readonly current: Endpoints | undefined
  /** Milliseconds since the epoch. Undefined if no change is known. */
  readonly changedAt: number | undefined
  /** Whether Endpoints have a label that says that this controller keeps them, as since 1.33. */
  readonly isLabelled: boolean
}

/** Returns the Endpoints of a service. Undefined if the present ones need no write. */
export const endpointsOf = (input: EndpointsInput): Endpoints | undefined => runAtOnce(endpointsInSteps(input))

/** `endpointsOf` in steps, for a service of very many labels or ports. */
export function* endpointsInSteps({ service, subsets, current, changedAt, isLabelled }: EndpointsInput): Steps<Endpoints | undefined> {
  if (current && !(yield* needsWrite(current, service, subsets, isLabelled))) return undefined
  const annotations = yield* runIfSteps(withMembers(current?.metadata.annotations))
  delete annotations[LAST_CHANGE]
  delete annotations[OVER_CAPACITY]
  if (changedAt !== undefined) annotations[LAST_CHANGE] = formatTime(changedAt)
  if (isOverCapacity(subsets)) annotations[OVER_CAPACITY] = 'truncated'
  const added = { ...(isLabelled && { [MANAGED_BY]: CONTROLLER }), ...(!hasClusterIP(service) && { [HEADLESS]: '' }) }
  const labels = yield* runIfSteps(withMembers(service.metadata.labels, added))
  if (hasClusterIP(service)) delete labels[HEADLESS]
  const { name = '', namespace = '' } = service.metadata
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      ...(current?.metadata ?? { name, namespace }),
      labels,
      annotations,
    },
    subsets: [...truncated(subsets)],
  }
}

/** Reports whether labels or subsets differ. Truncated Endpoints are written each time. */
function* needsWrite(
  { metadata, subsets = [] }: Endpoints,
  service: Service,
  desired: readonly EndpointSubset[],
  isLabelled: boolean,
): Steps<boolean> {
  const managedBy = metadata.labels?.[MANAGED_BY]
  const labels = yield* runIfSteps(withMembers(metadata.labels))
  delete labels[HEADLESS]
  delete labels[MANAGED_BY]
  const hasLabel = !isLabelled || managedBy === CONTROLLER
  const isMarked = metadata.annotations?.[OVER_CAPACITY] !== undefined
  if (isMarked || !hasLabel) return true
  return !((yield* deepEqualInSteps(labels, service.metadata.labels ?? {})) && (yield* deepEqualInSteps(subsets, desired)))
}
