import type { Service } from '../../../api/core/v1.types.ts'
import type { EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { MANAGED_BY, SERVICE_NAME, slicePrefix } from '../../shared/endpoint-slices.ts'
import { SERVICES } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { HEADLESS, hasClusterIP } from '../../shared/service-endpoints.ts'
import type { ServiceAddressType } from './endpoint.ts'

/** Name of this controller in the label of its slices. */
export const CONTROLLER = 'endpointslice-controller.k8s.io'

/** Labels of a slice that do not come from its service. */
const RESERVED: readonly string[] = [SERVICE_NAME, MANAGED_BY, HEADLESS]

type Labels = Readonly<Record<string, string>>

const withoutReserved = (labels: Labels = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED.includes(key)))

/** Returns the labels of a slice: those of its service, and its own. */
export const sliceLabels = (service: Service): Record<string, string> => ({
  ...withoutReserved(service.metadata.labels),
  ...(!hasClusterIP(service) && { [HEADLESS]: '' }),
  [SERVICE_NAME]: service.metadata.name ?? '',
  [MANAGED_BY]: CONTROLLER,
})

/** Whether labels of a slice differ from those of its service. Labels of the slice's own do not count, as upstream. */
export const hasOtherLabels = ({ metadata }: EndpointSlice, service: Service): boolean =>
  !deepEqual(withoutReserved(metadata.labels), withoutReserved(service.metadata.labels))

/** Returns an empty slice of a service. */
export const newSlice = (service: Service, addressType: ServiceAddressType, ports: readonly EndpointPort[]): EndpointSlice => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: {
    labels: sliceLabels(service),
    generateName: slicePrefix(service.metadata.name ?? ''),
    ownerReferences: [controllerReference(SERVICES, service)],
    namespace: service.metadata.namespace ?? '',
  },
  addressType,
  ports: [...ports],
  endpoints: [],
})

/** Whether a slice belongs to a service, and not to an earlier one of the same name. */
export const isOwnedBy = ({ metadata: { ownerReferences = [] } }: EndpointSlice, { metadata: { uid } }: Service): boolean =>
  ownerReferences.some(reference => reference.uid === uid && reference.kind === 'Service' && reference.apiVersion === 'v1')

/** Whether a slice is the empty one that a service without endpoints has. */
export const isPlaceholder = (slice: EndpointSlice, service: Service): boolean =>
  (slice.ports ?? []).length === 0 && (slice.endpoints ?? []).length === 0 && deepEqual(slice.metadata.labels, sliceLabels(service))
