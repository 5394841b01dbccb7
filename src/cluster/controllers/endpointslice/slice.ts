import type { Service } from '../../../api/core/v1.types.ts'
import type { EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { mapResult, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { MANAGED_BY, SERVICE_NAME, slicePrefix } from '../../shared/endpoint-slices.ts'
import { SERVICES } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { HEADLESS, hasClusterIP } from '../../shared/service-endpoints.ts'
import { areSameMembers, withMembers } from '../../shared/with-members.ts'
import type { ServiceAddressType } from './endpoint.ts'

/** Name of this controller in the label of its slices. */
export const CONTROLLER = 'endpointslice-controller.k8s.io'

/** Labels of a slice that do not come from its service. */
const RESERVED: readonly string[] = [SERVICE_NAME, MANAGED_BY, HEADLESS]

/** Returns the labels of a slice: those of its service, and its own. */
export function sliceLabels(service: Service): Record<string, string> | Steps<Record<string, string>> {
  const hasAddress = hasClusterIP(service)
  const own = { ...(!hasAddress && { [HEADLESS]: '' }), [SERVICE_NAME]: service.metadata.name ?? '', [MANAGED_BY]: CONTROLLER }
  return mapResult(withMembers(service.metadata.labels, own), labels => {
    if (hasAddress) delete labels[HEADLESS]
    return labels
  })
}

/** Whether labels of a slice differ from those of its service. Labels of the slice's own do not count, as upstream. */
export function* hasOtherLabels({ metadata }: EndpointSlice, service: Service): Steps<boolean> {
  return !(yield* areSameMembers(metadata.labels, service.metadata.labels, RESERVED))
}

/** Returns an empty slice of a service. */
export function* newSlice(service: Service, addressType: ServiceAddressType, ports: readonly EndpointPort[]): Steps<EndpointSlice> {
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      labels: yield* runIfSteps(sliceLabels(service)),
      generateName: slicePrefix(service.metadata.name ?? ''),
      ownerReferences: [controllerReference(SERVICES, service)],
      namespace: service.metadata.namespace ?? '',
    },
    addressType,
    ports: [...ports],
    endpoints: [],
  }
}

/** Whether a slice belongs to a service, and not to an earlier one of the same name. */
export const isOwnedBy = ({ metadata: { ownerReferences = [] } }: EndpointSlice, { metadata: { uid } }: Service): boolean =>
  ownerReferences.some(reference => reference.uid === uid && reference.kind === 'Service' && reference.apiVersion === 'v1')

/** Whether a slice is the empty one that a service without endpoints has. @param labels what `sliceLabels` returns. */
export function* isPlaceholder({ ports, endpoints, metadata }: EndpointSlice, labels: Readonly<Record<string, string>>): Steps<boolean> {
  return (ports ?? []).length === 0 && (endpoints ?? []).length === 0 && (yield* areSameMembers(metadata.labels, labels))
}
