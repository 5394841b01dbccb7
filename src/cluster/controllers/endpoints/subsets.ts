import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '../../../api/core/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { isPodReady } from '../../shared/pods.ts'
import { mayBeEndpoint, targetPort } from '../../shared/service-endpoints.ts'
import { endpointAddress } from './address.ts'

/** Largest number of addresses in Endpoints. */
export const CAPACITY = 1000

interface AddressState {
  readonly address: EndpointAddress
  readonly isReady: boolean
}

/** The addresses that serve a port, by address and uid. A headless service without ports has no port. */
interface PortAddresses {
  readonly port: EndpointPort | undefined
  readonly addresses: Map<string, AddressState>
}

/**
 * Returns the subsets of a service: one for each set of addresses that serves the same ports. Corresponds to upstream's
 * RepackSubsets.
 */
export async function subsetsOf(service: Service, pods: readonly Pod[]): Promise<EndpointSubset[]> {
  const byPort = new Map<string, PortAddresses>()
  const publishesAll = service.spec.publishNotReadyAddresses ?? false
  await eachInSlices(pods, pod => {
    if (!mayBeEndpoint(pod, publishesAll)) return
    const address = endpointAddress(service, pod)
    if (address) for (const port of podPorts(service, pod)) addAddress(byPort, port, { address, isReady: publishesAll || isPodReady(pod) })
  })
  return packed([...byPort.values()])
}

function podPorts({ spec: { ports = [], clusterIP } }: Service, pod: Pod): (EndpointPort | undefined)[] {
  if (ports.length === 0) return clusterIP === 'None' ? [undefined] : []
  return ports.flatMap(servicePort => {
    const port = targetPort(pod, servicePort)
    if (port === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    return [{ ...(name !== '' && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
  })
}

function addAddress(byPort: Map<string, PortAddresses>, port: EndpointPort | undefined, state: AddressState): void {
  const key = portText(port)
  const { addresses } = byPort.get(key) ?? { addresses: new Map<string, AddressState>() }
  byPort.set(key, { port, addresses })
  const id = addressText(state.address)
  // An address that one pod reports as not ready is not ready.
  if (addresses.get(id)?.isReady !== false) addresses.set(id, state)
}

function packed(all: readonly PortAddresses[]): EndpointSubset[] {
  const bySet = new Map<string, { readonly states: readonly AddressState[]; readonly ports: EndpointPort[] }>()
  for (const { port, addresses } of all) {
    const states = [...addresses].toSorted(([a], [b]) => compareText(a, b)).map(([, state]) => state)
    const key = JSON.stringify([...states.map(({ address, isReady }) => [addressText(address), isReady]), port === undefined])
    const group = bySet.get(key) ?? { states, ports: [] }
    bySet.set(key, group)
    if (port) group.ports.push(port)
  }
  const subsets = [...bySet.values()].map(({ states, ports }): EndpointSubset => {
    const [ready, notReady] = [true, false].map(is => states.filter(({ isReady }) => isReady === is).map(({ address }) => address)) as [
      EndpointAddress[],
      EndpointAddress[],
    ]
    return {
      ...(ready.length > 0 && { addresses: ready }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ...(ports.length > 0 && { ports: ports.toSorted((a, b) => compareText(portText(a), portText(b))) }),
    }
  })
  return subsets.toSorted((a, b) => compareText(portText(a.ports?.[0]), portText(b.ports?.[0])))
}

const portText = (port: EndpointPort | undefined): string =>
  port ? JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]) : ''

const addressText = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`

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
