import { ApplyError } from '../apply/apply-error.ts'
import type { Change, Versioned } from '../apply/ownership.ts'
import { errorsText, validateTyped } from '../apply/typed-validate.ts'
import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import type { Steps } from '../lib/steps.ts'
import type { KubeObject } from '../meta/object.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'
import type { MemberOrder } from '../storage/json-splice.ts'
import { StorageError } from '../storage/storage.ts'
import { convertInSteps, normalized, versionsOf } from './convert.ts'

/** What the registry does in another way for each form of objects. */
export interface RegistryForm {
  /** Of the members of stored JSON. */
  readonly order: MemberOrder
  /** How long the type header of the object's JSON is. */
  headerBytes(kind: string, apiVersion: string): number
  /** Members of the metadata that are stored although they are empty, as JSON. */
  emptyMetadata?(object: KubeObject): string
  /** What was stored says that it is of a version that the definition does not have: throws where it can't be read as another. */
  checkVersion(claimed: unknown): void
  /** What tracking managed fields needs to see an object in another version. Undefined: nothing. */
  managers(served: ServedResource): Change['convert']
}

const FORMS: Readonly<Record<FormName, RegistryForm>> = {
  typed: {
    order: 'struct',
    headerBytes: (kind, apiVersion) => Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`),
    checkVersion() {},
    managers: typedManagers,
  },
  unstructured: {
    order: 'sorted',
    headerBytes: () => 1,
    emptyMetadata,
    checkVersion(claimed) {
      if (claimed !== undefined) throw new StorageError('corrupt', `request to convert CR from an invalid group/version: ${String(claimed)}`)
    },
    managers: unstructuredManagers,
  },
}

export const registryFormOf = ({ form }: StructSchema): RegistryForm => FORMS[form.name]

const MAY_BE_EMPTY = ['annotations', 'finalizers', 'generateName', 'labels', 'ownerReferences'] as const

/**
 * Upstream stores the empty maps and lists that an apply has put into the metadata of a custom object, and reads them as absent: the next write of the object is one even if it changes
 * nothing.
 */
function emptyMetadata({ metadata }: KubeObject): string {
  const empty = MAY_BE_EMPTY.filter(name => {
    const value = metadata[name]
    return value !== undefined && Object.keys(value).length === 0
  })
  return empty.map(name => `${JSON.stringify(name)}:${JSON.stringify(metadata[name])}`).join(',')
}

type ManagerConversion = NonNullable<Change['convert']>

const conversions = new WeakMap<ServedResource, ManagerConversion>()

const servedVersion = ({ definition }: ServedResource, apiVersion: string): Version | undefined =>
  definition.versions.find(each => apiVersionOfVersion(each) === apiVersion)

/** Of a kind that is converted by its fields: an object in another version that is served. Undefined where there is one version only. */
function typedManagers(served: ServedResource): Change['convert'] {
  return served.definition.versions.length === 1 ? undefined : known(served, typedConversion)
}

/** Of a custom kind that no webhook converts. An apply fails on managers of a version that the definition does not have, however many it has. */
function unstructuredManagers(served: ServedResource): Change['convert'] {
  return known(served, unstructuredConversion)
}

/** Made once for each resource that is served. */
function known(served: ServedResource, make: (served: ServedResource) => ManagerConversion): ManagerConversion {
  let conversion = conversions.get(served)
  if (conversion === undefined) {
    conversion = make(served)
    conversions.set(served, conversion)
  }
  return conversion
}

/** By the fields of both versions, through the hub version. In steps, as objects may be large. */
function typedConversion(served: ServedResource): ManagerConversion {
  const { definition, version } = served
  return function* (object, apiVersion) {
    const to = servedVersion(served, apiVersion)
    if (to === undefined) return undefined
    const from = versionsOf(definition).get(object.apiVersion) ?? version
    // A copy with every member in its place: what is left of an object whose fields were taken out may lack some.
    const copy = normalized(from, object)
    yield
    const converted = yield* convertInSteps(definition, copy, from, to)
    yield
    return { schema: to.schema, object: normalized(to, converted) }
  }
}

/** As it is but for its apiVersion. What the other version does not declare stands in the way, as upstream. */
function unstructuredConversion({ definition }: ServedResource): ManagerConversion {
  return (object, apiVersion) => fitting(customVersion(definition, apiVersion).schema, { ...object, apiVersion })
}

/** An object of a version with the schema. Throws an ApplyError if it does not fit. */
export function* fitting(schema: StructSchema, object: KubeObject): Steps<Versioned> {
  const errors = yield* validateTyped(schema, object)
  if (errors.length > 0) throw new ApplyError('internal', errorsText(errors))
  return { schema, object }
}

/** Throws an ApplyError where the definition does not have the version. */
export function customVersion(definition: ResourceDefinition, apiVersion: string): Version {
  const version = versionsOf(definition).get(apiVersion)
  if (version === undefined) throw new ApplyError('internal', `request to convert CR to an invalid group/version: ${apiVersion}`)
  return version
}
