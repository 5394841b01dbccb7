import { Catalog } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { checkIsBuilt, isInRelease, servedDefinitions } from '../catalog/served.ts'
import { servedKinds } from '../lifecycle/served.ts'
import { builtinResources } from '../resources/builtin.ts'
import type { ControlPlaneOptions, NetworkOptions } from './control-plane-options.ts'

/** Built-in kinds. */
export interface BuiltInKinds {
  readonly definitions: readonly ResourceDefinition[]
  /** Initially contains these kinds. Custom kinds are added to it. */
  readonly catalog: Catalog
}

/**
 * Selects the built-in kinds by release, feature gates and `--runtime-config`. Throws LifecycleError if
 * `--runtime-config` names an unknown API.
 */
export function builtInKinds(options: Pick<ControlPlaneOptions, 'runtime' | 'release' | 'storage' | 'network' | 'access'>): BuiltInKinds {
  const { runtime, network } = options
  const { emulatedVersion: release, gates, runtimeConfig, laterVersions } = options.release
  const { eventTtlSeconds, etcdServers } = options.storage
  const { auth } = options.access
  const built = builtinResources({
    features: gates,
    eventTtlSeconds,
    serviceCIDRs: [...network.serviceCIDRs],
    nodePortRange: nodePortRange(network),
    random: runtime.random.number,
    ...(etcdServers && { etcdServers }),
    ...(auth && { auth }),
  })
  checkIsBuilt(built, release, runtimeConfig, laterVersions)
  const definitions = servedDefinitions(built, servedKinds(release, gates, runtimeConfig, laterVersions), isInRelease(release))
  return { definitions, catalog: new Catalog(definitions, release) }
}

export const nodePortRange = ({ nodePorts }: NetworkOptions) => ({ base: nodePorts.first, size: nodePorts.last - nodePorts.first + 1 })
