import type { EndpointPort, EndpointSubset, Pod, Service, ServicePort } from '../../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, runInTurns, type Steps } from '../../../lib/steps.ts'
import { type AddressState, addressText, addState, type PortGroup, packSubsets, portText } from '../../shared/endpoint-subsets.ts'
import { isPodReady } from '../../shared/pods.ts'
import { mayBeEndpoint, targetPort } from '../../shared/service-endpoints.ts'
import { endpointAddress } from './address.ts'

/** Largest number of addresses in Endpoints. */
export const CAPACITY = 1000

/**
 * Returns the subsets of a service: one for each set of addresses that serves the same ports.
 */
export const subsetsOf = (service: Service, pods: readonly Pod[]): Promise<EndpointSubset[]> => runInTurns(subsetsInSteps(service, pods))

/** Steps of `subsetsOf`: both pods and ports may be very many. */
export function* subsetsInSteps(service: Service, pods: readonly Pod[]): Steps<EndpointSubset[]> {
  const byPort = new Map<string, PortGroup>()
  const { ports = [], clusterIP, publishNotReadyAddresses: publishesAll = false } = service.spec
  for (const pod of pods) {
    if (isLongStepDone()) yield
    const address = mayBeEndpoint(pod, publishesAll) ? endpointAddress(service, pod) : undefined
    if (address === undefined) continue
    const state = { address, isReady: publishesAll || isPodReady(pod) }
    if (ports.length === 0 && clusterIP === 'None') addAddress(byPort, undefined, state)
    for (const servicePort of ports) {
      if (isStepDone()) yield
      const port = podPort(pod, servicePort)
      if (port) addAddress(byPort, port, state)
    }
  }
  return yield* packSubsets(byPort.values())
}

function podPort(pod: Pod, servicePort: ServicePort): EndpointPort | undefined {
  const port = targetPort(pod, servicePort)
  if (port === undefined) return undefined
  const { name = '', protocol = 'TCP', appProtocol } = servicePort
  return { ...(name !== '' && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }
}

function addAddress(byPort: Map<string, PortGroup>, port: EndpointPort | undefined, state: AddressState): void {
  const key = portText(port)
  const group = byPort.get(key) ?? { ports: [[key, port]], addresses: new Map<string, AddressState>() }
  byPort.set(key, group)
  addState(group.addresses, addressText(state.address), state)
}

const sizeOf = (subsets: readonly EndpointSubset[]): number =>
  subsets.reduce((sum, { addresses = [], notReadyAddresses = [] }) => sum + addresses.length + notReadyAddresses.length, 0)

/** Whether there are more addresses than Endpoints may have. */
export const isOverCapacity = (subsets: readonly EndpointSubset[]): boolean => sizeOf(subsets) > CAPACITY

/**
 * Cuts subsets to the capacity: addresses that are not ready first, and each subset in proportion to its size.
 * Corresponds to upstream's truncateEndpoints.
 */
export function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  if (!isOverCapacity(subsets)) return subsets
  const ready = subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0)
  const cutsReady = ready > CAPACITY
  const total = cutsReady ? ready : sizeOf(subsets) - ready
  const max = cutsReady ? CAPACITY : CAPACITY - ready
  let left = max
  return subsets.map(({ addresses = [], notReadyAddresses = [], ...rest }) => {
    const list = cutsReady ? addresses : notReadyAddresses
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * max)))
    left -= kept.length
    const [isReady, isNotReady] = cutsReady ? [kept, []] : [addresses, kept]
    return { ...(isReady.length > 0 && { addresses: isReady }), ...(isNotReady.length > 0 && { notReadyAddresses: isNotReady }), ...rest }
  })
}
