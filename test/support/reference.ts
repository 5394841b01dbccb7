import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CatalogSnapshot } from '../../src/catalog/catalog.ts'
import { isInRelease, servedDefinitions } from '../../src/catalog/served.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import { DEFAULT_RELEASE, type Release } from '../../src/lifecycle/release.ts'
import { builtinResources } from '../../src/resources/builtin.ts'
import { testAuth } from './auth.ts'

/**
 * Facts of release 1.33 that others gathered: fields, discovery, serialized objects. They are no part of the project:
 * they stand in `$API_REFERENCE`, or in `shared/reference` beside the project.
 */
const folder = process.env.API_REFERENCE ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'reference')

/** A suite that compares with the reference, or one skipped test that says why it does not. */
export function describeReference(name: string, suite: () => void): void {
  if (existsSync(join(folder, 'README.md'))) describe(name, suite)
  else describe(name, () => it.skip('needs the reference of release 1.33 in $API_REFERENCE'))
}

export const readReference = (file: string): Buffer => readFileSync(join(folder, file))
export const referenceJson = (file: string): unknown => JSON.parse(readReference(file).toString())

/** Every kind that a release has, whether it serves it by default or not. */
export function builtinSnapshot(release: Release = DEFAULT_RELEASE): CatalogSnapshot {
  const features = parseGates(release)
  const all = builtinResources({
    features,
    eventTtlSeconds: 1,
    serviceCIDRs: ['10.0.0.0/24'],
    nodePortRange: { base: 30000, size: 10 },
    auth: testAuth,
  })
  return new CatalogSnapshot(1, servedDefinitions(all, isInRelease(release)), release)
}
