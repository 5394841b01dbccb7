import { Catalog } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { checkIsBuilt, isInRelease, servedDefinitions } from '../catalog/served.ts'
import { servedKinds } from '../lifecycle/served.ts'
import { builtinResources } from '../resources/builtin.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'

/** The kinds that a server has from the start. */
export interface BuiltInKinds {
  readonly definitions: readonly ResourceDefinition[]
  /** Begins with these kinds; custom ones are added to it. */
  readonly catalog: Catalog
}

/** The built-in kinds that the release, gates and `--runtime-config` ask for. Throws LifecycleError if `--runtime-config` names what there is not. */
export function builtInKinds(options: ControlPlaneOptions): BuiltInKinds {
  const { runtime, release, gates, runtimeConfig, laterVersions, eventTtlSeconds, serviceCIDRs, etcdServers, auth } = options
  const built = builtinResources({
    features: gates,
    eventTtlSeconds,
    serviceCIDRs: [...serviceCIDRs],
    nodePortRange: nodePortRange(options),
    random: runtime.random.number,
    ...(etcdServers && { etcdServers }),
    ...(auth && { auth }),
  })
  checkIsBuilt(built, release, runtimeConfig, laterVersions)
  const definitions = servedDefinitions(built, servedKinds(release, gates, runtimeConfig, laterVersions), isInRelease(release))
  return { definitions, catalog: new Catalog(definitions, release) }
}

export const nodePortRange = ({ nodePorts }: ControlPlaneOptions) => ({ base: nodePorts.first, size: nodePorts.last - nodePorts.first + 1 })
