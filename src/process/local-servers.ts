import { LOCAL_SERVICES, type LocalServerParts, type LocalServers } from '../control-plane/local-servers.ts'
import type { LoadedServers } from './run-local-servers.ts'

/**
 * Creates the servers of a simulated cluster. Their code is loaded on first use. @param allowed parts of this machine
 * that rules may use.
 */
export function localServers(allowed: readonly string[], parts: LocalServerParts): LocalServers {
  let loaded: Promise<LoadedServers> | undefined
  const load = (): Promise<LoadedServers> => {
    loaded ??= import('./run-local-servers.ts').then(module => module.openLocalServers(allowed, parts))
    return loaded
  }
  return {
    kubelet: async node => (await load()).kubelet(node),
    service: async (namespace, name) => (LOCAL_SERVICES.has(`${namespace}/${name}`) ? (await load()).metrics : undefined),
    close: () => void loaded?.then(servers => servers.close()),
  }
}
