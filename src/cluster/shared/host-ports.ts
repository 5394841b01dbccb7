import type { ContainerPort, Pod } from '../../api/core/v1.types.ts'
import { lastingContainers } from './pods.ts'

/** Returns the ports that the pod's containers and sidecars need on their node. */
export const hostPorts = ({ spec }: Pod): ContainerPort[] =>
  lastingContainers(spec).flatMap(({ ports }) => ports?.filter(({ hostPort }) => hostPort !== undefined && hostPort > 0) ?? [])

const ANY_ADDRESS = '0.0.0.0'
const protocolAndPort = ({ protocol, hostPort }: ContainerPort): string => `${protocol || 'TCP'}/${hostPort}`

/** Host ports in use. A port of all addresses conflicts with the same port of any address. */
export class UsedPorts {
  /** Addresses by protocol and port. */
  readonly #addresses = new Map<string, Set<string>>()

  constructor(ports: readonly ContainerPort[] = []) {
    for (const port of ports) this.add(port)
  }

  add(port: ContainerPort): void {
    const key = protocolAndPort(port)
    let addresses = this.#addresses.get(key)
    if (addresses === undefined) {
      addresses = new Set()
      this.#addresses.set(key, addresses)
    }
    addresses.add(port.hostIP || ANY_ADDRESS)
  }

  conflictsWith(port: ContainerPort): boolean {
    const addresses = this.#addresses.get(protocolAndPort(port))
    if (addresses === undefined) return false
    const address = port.hostIP || ANY_ADDRESS
    return address === ANY_ADDRESS || addresses.has(ANY_ADDRESS) || addresses.has(address)
  }
}
