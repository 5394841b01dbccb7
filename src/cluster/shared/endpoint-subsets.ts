import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/core/v1.types.ts'
import { compareText } from '../../lib/compare-text.ts'
import { isLongStepDone, isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'

/** An address of Endpoints, and whether it is ready. */
export interface AddressState {
  readonly address: EndpointAddress
  readonly isReady: boolean
}

/** A port with its text, by which ports are sorted. Addresses without ports have one that is undefined. */
type PortEntry = readonly [text: string, port: EndpointPort | undefined]

/** Ports that the same addresses serve, and these addresses by their text. */
export interface PortGroup {
  readonly ports: readonly PortEntry[]
  readonly addresses: Map<string, AddressState>
}

/**
 * Most addresses that all ports of Endpoints may have together for `repackSubsets`. Each port may have each address, so
 * the result can be as large as the square of the input.
 */
const MOST_ADDRESSES = 1 << 18

export const portText = (port: EndpointPort | undefined): string =>
  port ? JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]) : ''

/** Identifies an address: by its IP address and the uid of its target. */
export const addressText = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`

/** Adds the state of an address. An address that is once not ready is not ready. */
export function addState(addresses: Map<string, AddressState>, text: string, state: AddressState): void {
  if (addresses.get(text)?.isReady !== false) addresses.set(text, state)
}

/**
 * Returns subsets in their canonical form: one for each set of addresses that serves the same ports, sorted. Subsets
 * that would have more than MOST_ADDRESSES are returned as they are. Corresponds to upstream's RepackSubsets.
 */
export function* repackSubsets(subsets: readonly EndpointSubset[]): Steps<readonly EndpointSubset[]> {
  const groups = yield* portsBySubsets(subsets)
  const sizes = subsets.map(({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length)
  let total = 0
  for (const { indices } of groups) {
    if (isLongStepDone()) yield
    for (const index of indices) total += sizes[index] ?? 0
  }
  if (total > MOST_ADDRESSES) return subsets
  /** The first address of each text: the others stand for it. */
  const known = new Map<string, EndpointAddress>()
  const packed: PortGroup[] = []
  for (const { ports, indices } of groups) {
    const addresses = new Map<string, AddressState>()
    for (const index of indices)
      for (const [address, isReady] of statesInSubset(subsets[index])) {
        if (isStepDone()) yield
        const text = addressText(address)
        const first = known.get(text) ?? address
        known.set(text, first)
        addState(addresses, text, { address: first, isReady })
      }
    packed.push({ ports, addresses })
  }
  return yield* packSubsets(packed)
}

function* statesInSubset({ addresses = [], notReadyAddresses = [] }: EndpointSubset = {}): Generator<readonly [EndpointAddress, boolean]> {
  for (const address of addresses) yield [address, true]
  for (const address of notReadyAddresses) yield [address, false]
}

/** Ports that the same subsets have. */
interface SharedPorts {
  readonly ports: PortEntry[]
  readonly indices: readonly number[]
}

/** Groups the ports of subsets by the subsets that have them. */
function* portsBySubsets(subsets: readonly EndpointSubset[]): Steps<SharedPorts[]> {
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly indices: number[] }>()
  for (const [index, { ports = [] }] of subsets.entries())
    for (const port of ports.length === 0 ? [undefined] : ports) {
      if (isStepDone()) yield
      const text = portText(port)
      const entry = byPort.get(text) ?? { port, indices: [] }
      byPort.set(text, entry)
      if (entry.indices.at(-1) !== index) entry.indices.push(index)
    }
  const groups = new Map<string, SharedPorts>()
  for (const [text, { port, indices }] of byPort) {
    if (isStepDone()) yield
    // Ports are never in one subset with the lack of any.
    const key = `${port !== undefined} ${indices.join()}`
    const group = groups.get(key) ?? { ports: [], indices }
    groups.set(key, group)
    group.ports.push([text, port])
  }
  return [...groups.values()]
}

/** Returns a subset for each set of addresses, with all ports that have it. Addresses, ports and subsets are sorted. */
export function* packSubsets(groups: Iterable<PortGroup>): Steps<EndpointSubset[]> {
  const bySet = new Map<string, { readonly states: readonly AddressState[]; readonly ports: PortEntry[] }>()
  for (const { ports, addresses } of groups) {
    const { states, key } = yield* sortedAddresses(addresses, ports[0]?.[1] !== undefined)
    const same = bySet.get(key) ?? { states, ports: [] }
    bySet.set(key, same)
    for (const entry of ports) {
      if (isStepDone()) yield
      same.ports.push(entry)
    }
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
    const served = sorted.flatMap(([, port]) => port ?? [])
    const subset = {
      ...(ready.length > 0 && { addresses: ready }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ...(served.length > 0 && { ports: served }),
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
