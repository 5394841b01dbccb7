import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import { isInRelease, servedDefinitions } from '../../src/catalog/served.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import { servedKinds } from '../../src/lifecycle/served.ts'
import { builtinResources } from '../../src/resources/builtin.ts'
import { testAuth } from './auth.ts'

/**
 * The kinds that are built in as a release serves them, with `runtimeConfig` and `gates` as they are given on the
 * command line.
 */
export function servedBuiltins(
  runtimeConfig: Record<string, boolean> = {},
  gates: Record<string, boolean> = {},
  serviceCIDRs = ['10.0.0.0/24'],
  release: Release = '1.33',
): ResourceDefinition[] {
  const features = parseGates(release, new Map(Object.entries(gates)))
  const definitions = builtinResources({
    features,
    eventTtlSeconds: 3600,
    serviceCIDRs,
    nodePortRange: { base: 30000, size: 100 },
    auth: testAuth,
  })
  return servedDefinitions(definitions, servedKinds(release, features, new Map(Object.entries(runtimeConfig))), isInRelease(release))
}
