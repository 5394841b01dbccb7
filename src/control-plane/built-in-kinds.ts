import { Catalog } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { checkIsBuilt, isInRelease, servedDefinitions } from '../catalog/served.ts'
import { servedKinds } from '../lifecycle/served.ts'
import { builtinResources } from '../resources/builtin.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'

/** Built-in kinds. */
export interface BuiltInKinds {
  readonly definitions: readonly ResourceDefinition[]
  /** Initially contains these kinds. Custom kinds are added to it. */
  readonly catalog: Catalog
}

/** Selects the built-in kinds by release, feature gates and `--runtime-config`. Throws LifecycleError if `--runtime-config` names an unknown API. */
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
