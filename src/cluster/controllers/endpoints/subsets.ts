import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service, ServicePort } from '../../../api/core/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { isLongStepDone, isStepDone, runInTurns, type Steps, sortInSteps } from '../../../lib/steps.ts'
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
export const subsetsOf = (service: Service, pods: readonly Pod[]): Promise<EndpointSubset[]> => runInTurns(subsetsInSteps(service, pods))

/** Steps of `subsetsOf`: both pods and ports may be very many. */
export function* subsetsInSteps(service: Service, pods: readonly Pod[]): Steps<EndpointSubset[]> {
  const byPort = new Map<string, PortAddresses>()
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
  return yield* packed(byPort)
}

function podPort(pod: Pod, servicePort: ServicePort): EndpointPort | undefined {
  const port = targetPort(pod, servicePort)
  if (port === undefined) return undefined
  const { name = '', protocol = 'TCP', appProtocol } = servicePort
  return { ...(name !== '' && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }
}

function addAddress(byPort: Map<string, PortAddresses>, port: EndpointPort | undefined, state: AddressState): void {
  const key = portText(port)
  const { addresses } = byPort.get(key) ?? { addresses: new Map<string, AddressState>() }
  byPort.set(key, { port, addresses })
  const id = addressText(state.address)
  // An address that one pod reports as not ready is not ready.
  if (addresses.get(id)?.isReady !== false) addresses.set(id, state)
}

/** A port with its text, by which ports are sorted. */
type PortEntry = readonly [text: string, port: EndpointPort]

function* packed(byPort: ReadonlyMap<string, PortAddresses>): Steps<EndpointSubset[]> {
  const bySet = new Map<string, { readonly states: readonly AddressState[]; readonly ports: PortEntry[] }>()
  for (const [text, { port, addresses }] of byPort) {
    const { states, key } = yield* sortedAddresses(addresses, port !== undefined)
    const group = bySet.get(key) ?? { states, ports: [] }
    bySet.set(key, group)
    if (port) group.ports.push([text, port])
  }
  const subsets: (readonly [text: string, subset: EndpointSubset])[] = []
  for (const { states, ports } of bySet.values()) {
    if (isLongStepDone()) yield
    const sorted = ports.length < 2 ? ports : yield* sortInSteps(ports, ([a], [b]) => compareText(a, b))
    const [ready, notReady]: [EndpointAddress[], EndpointAddress[]] = [[], []]
    for (const { address, isReady } of states) {
      if (isStepDone()) yield
      if (isReady) ready.push(address)
      else notReady.push(address)
    }
    const subset = {
      ...(ready.length > 0 && { addresses: ready }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ...(sorted.length > 0 && { ports: sorted.map(([, port]) => port) }),
    }
    subsets.push([sorted[0]?.[0] ?? '', subset])
  }
  return (yield* sortInSteps(subsets, ([a], [b]) => compareText(a, b))).map(([, subset]) => subset)
}

/** Returns the addresses of a port in order, and a text that other ports have with the same addresses. */
function* sortedAddresses(
  addresses: ReadonlyMap<string, AddressState>,
  hasPort: boolean,
): Steps<{ readonly states: readonly AddressState[]; readonly key: string }> {
  const entries: [string, AddressState][] = []
  for (const entry of addresses) {
    if (isStepDone()) yield
    entries.push(entry)
  }
  const sorted = entries.length < 2 ? entries : yield* sortInSteps(entries, ([a], [b]) => compareText(a, b))
  const states: AddressState[] = []
  let key = String(hasPort)
  for (const [text, state] of sorted) {
    if (isStepDone()) yield
    states.push(state)
    // Neither an address nor a uid has a line break.
    key += `\n${text} ${state.isReady}`
  }
  return { states, key }
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
