import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '../api/apiextensions/v1.types.ts'
import type { KubeObject } from '../api/meta/object.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { runAtOnce } from '../lib/steps.ts'
import { OLDEST_RELEASE } from '../lifecycle/release.ts'
import { compareVersionNames } from '../meta/gvk.ts'
import { isConditionTrue } from '../resources/apiextensions/custom-resource-definition/spec.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { ConversionServices } from './conversion/webhook-converter.ts'
import { lacksScaleDefaults } from './custom-scale.ts'
import { type CustomVersions, customVersions } from './custom-versions.ts'

/** Verbs in discovery while the definition is being deleted: nothing can be created. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch']

/** Whether the kind is served. Once established, a definition remains so, whatever names it requests later. */
export const isDefinitionServed = (definition: CustomResourceDefinition): boolean => isConditionTrue(definition, 'Established')

/** Whether status has a default. New objects are stored without status, and it is defaulted on read. */
const hasStatusDefault = ({ schema, subresources }: CustomResourceDefinitionVersion): boolean =>
  subresources?.status !== undefined && schema?.openAPIV3Schema?.properties?.status?.default !== undefined

/**
 * Returns the resource of a definition, in all its versions. Undefined if its names are not accepted or no version is
 * served.
 */
export function customResource(definition: CustomResourceDefinition, services: ConversionServices): ResourceDefinition | undefined {
  const versions = runAtOnce(customVersions(definition, services, new SchemaPool()))
  return versions && customDefinition(definition, versions)
}

/** Same as `customResource`, from already built versions of the definition. */
export function customDefinition(
  definition: CustomResourceDefinition,
  { built, converter }: CustomVersions,
): ResourceDefinition | undefined {
  const { spec, status } = definition
  const versions = spec.versions ?? []
  const stored = versions.find(({ storage }) => storage)
  if (!isDefinitionServed(definition) || !stored) return undefined
  const terminating = isConditionTrue(definition, 'Terminating')
  const going: Partial<Version> = {
    ...(terminating && { advertisedVerbs: TERMINATING_VERBS, noCreatesSince: OLDEST_RELEASE }),
    ...(!terminating && definition.metadata.deletionTimestamp && { noCreatesSince: '1.37' }),
  }
  const shown = new Map([...built].map(([name, version]) => [name, { ...version, ...going }]))
  const ordered = [...versions].sort((a, b) => compareVersionNames(a.name, b.name))
  const pick = (served: boolean): Version[] =>
    ordered.filter(version => version.served === served).flatMap(({ name }) => shown.get(name) ?? [])
  const [first, ...more] = pick(true)
  const hub = shown.get(stored.name)
  if (!first || !hub) return undefined
  // Objects of several versions get the defaults of the storage version before they are stored.
  const scale = versions.length === 1 ? stored.subresources?.scale : undefined
  return {
    scope: spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    versions: [first, ...more],
    unserved: pick(false),
    hub,
    ...(converter && { converter }),
    storage: {
      prefix: `${spec.group}/${status.acceptedNames.plural}`,
      version: hub,
      fields: Object.assign({}, ...[...shown.values()].map(({ selectableFields }) => selectableFields)),
      ...(hasStatusDefault(stored) && { defaultsStatus: ({ status }: KubeObject) => status === undefined }),
      ...(scale && { lacksDefaults: (object: KubeObject) => lacksScaleDefaults(object, scale, stored.schema?.openAPIV3Schema) }),
    },
  }
}
