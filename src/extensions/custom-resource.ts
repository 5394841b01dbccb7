import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { runAtOnce } from '../lib/steps.ts'
import { compareVersionNames } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import { isConditionTrue } from '../resources/apiextensions/custom-resource-definition/spec.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '../resources/apiextensions/v1.types.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { ConversionServices } from './conversion/webhook-converter.ts'
import { type CustomVersions, customVersions } from './custom-versions.ts'

/** What discovery advertises while the definition is being deleted: nothing new is to be created. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch']

/** Whether its kind is served: a definition that was established once stays so, whatever names it asks for later. */
export const isServed = (definition: CustomResourceDefinition): boolean => isConditionTrue(definition, 'Established')

/** Whether objects are created without a status, which has a default when they are read. */
const hasStatusDefault = ({ schema, subresources }: CustomResourceDefinitionVersion): boolean =>
  subresources?.status !== undefined && schema?.openAPIV3Schema?.properties?.status?.default !== undefined

/** The resource that a custom resource definition describes, in all of its versions; undefined while its names are not accepted, or where no version is served. */
export function customResource(definition: CustomResourceDefinition, services: ConversionServices): ResourceDefinition | undefined {
  const versions = runAtOnce(customVersions(definition, services, new SchemaPool()))
  return versions && resourceOf(definition, versions)
}

/** The same from versions that are made already: those of this definition. */
export function resourceOf(definition: CustomResourceDefinition, { built, converter }: CustomVersions): ResourceDefinition | undefined {
  const { spec, status } = definition
  const versions = spec.versions ?? []
  const stored = versions.find(({ storage }) => storage)
  if (!isServed(definition) || !stored) return undefined
  const terminating = isConditionTrue(definition, 'Terminating')
  const shown = new Map([...built].map(([name, version]) => [name, terminating ? { ...version, advertisedVerbs: TERMINATING_VERBS } : version]))
  const ordered = [...versions].sort((a, b) => compareVersionNames(a.name, b.name))
  const pick = (served: boolean): Version[] => ordered.filter(version => version.served === served).flatMap(({ name }) => shown.get(name) ?? [])
  const [first, ...more] = pick(true)
  const hub = shown.get(stored.name)
  if (!first || !hub) return undefined
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
    },
  }
}
