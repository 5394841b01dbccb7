import type { ControllerEnvironment } from '../../src/controllers/controller.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { AnyAccess } from './any-object.ts'
import { clockOf } from './clock-of.ts'
import { servedBuiltins } from './served-builtins.ts'
import { TestRegistry } from './test-registry.ts'

export const NAMESPACES = { group: '', resource: 'namespaces' }
export const CONFIG_MAPS = { group: '', resource: 'configmaps' }
export const PODS = { group: '', resource: 'pods' }
export const LEASES = { group: 'coordination.k8s.io', resource: 'leases' }

/** The kinds that are built in, in a registry over a store in memory. */
export const builtinRegistry = (serviceCIDRs: string[] = ['10.0.0.0/24']): TestRegistry =>
  new TestRegistry(servedBuiltins({}, {}, serviceCIDRs))

/** Environment for controllers, with the clock of the registry. */
export const controllerEnvironment = (t: TestRegistry): ControllerEnvironment & { readonly access: AnyAccess } => ({
  access: t.access(),
  clock: clockOf(() => t.now),
  logger: silentLogger,
})
