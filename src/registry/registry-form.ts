import type { KubeObject } from '../api/meta/object.ts'
import { ApplyError } from '../apply/apply-error.ts'
import type { OwnedWrite, Versioned } from '../apply/ownership.ts'
import { errorsText, validateTyped } from '../apply/typed-validate.ts'
import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import type { Steps } from '../lib/steps.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'
import type { MemberOrder } from '../storage/json-splice.ts'
import { StorageError } from '../storage/storage.ts'
import { convertInSteps, normalized, versionsOf } from './conversion/convert.ts'

/** Behaviour of the registry that differs between typed and unstructured objects. */
export interface RegistryForm {
  /** Order of the members in stored JSON. */
  readonly order: MemberOrder
  /** Length of the type header of an object's JSON, in bytes. */
  headerBytes(kind: string, apiVersion: string): number
  /** Returns empty members of the metadata that are stored all the same, as JSON members. */
  emptyMetadata?(object: KubeObject): string
  /**
   * Checks the apiVersion of a stored object that is not one of the definition. Throws a StorageError `corrupt` if the
   * object cannot be read as the storage version.
   */
  checkVersion(claimed: unknown): void
  /** Returns the conversion to versions that managed fields name. Undefined if none is needed. */
  managers(served: ServedResource): OwnedWrite['convert']
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
      if (claimed !== undefined)
        throw new StorageError('corrupt', `request to convert CR from an invalid group/version: ${String(claimed)}`)
    },
    managers: unstructuredManagers,
  },
}

/** Returns the behaviour for the form of a schema. */
export const registryFormOf = ({ form }: StructSchema): RegistryForm => FORMS[form.name]

const MAY_BE_EMPTY = ['annotations', 'finalizers', 'generateName', 'labels', 'ownerReferences'] as const

/**
 * Returns the empty maps and lists in the metadata of a custom object that an apply has set. Upstream stores them but
 * reads them as absent, so that the next write of the object changes the stored bytes even if it changes no field.
 */
function emptyMetadata({ metadata }: KubeObject): string {
  const empty = MAY_BE_EMPTY.filter(name => {
    const value = metadata[name]
    return value !== undefined && Object.keys(value).length === 0
  })
  return empty.map(name => `${JSON.stringify(name)}:${JSON.stringify(metadata[name])}`).join(',')
}

type ManagerConversion = NonNullable<OwnedWrite['convert']>

const conversions = new WeakMap<ServedResource, ManagerConversion>()

const servedVersion = ({ definition }: ServedResource, apiVersion: string): Version | undefined =>
  definition.versions.find(each => apiVersionOfVersion(each) === apiVersion)

/** Conversion of managers of a built-in kind to another served version. Undefined if the kind has only one. */
function typedManagers(served: ServedResource): OwnedWrite['convert'] {
  return served.definition.versions.length === 1 ? undefined : conversionOfServed(served, typedConversion)
}

/**
 * Conversion of managers of a custom kind without a webhook. It is needed even if the kind has one version: an apply
 * fails if a manager names a version that the definition does not have.
 */
function unstructuredManagers(served: ServedResource): OwnedWrite['convert'] {
  return conversionOfServed(served, unstructuredConversion)
}

/** Returns the conversion of a served resource. It is made on first use. */
function conversionOfServed(served: ServedResource, make: (served: ServedResource) => ManagerConversion): ManagerConversion {
  let conversion = conversions.get(served)
  if (conversion === undefined) {
    conversion = make(served)
    conversions.set(served, conversion)
  }
  return conversion
}

/** Converts through the hub version. Yields undefined if the version is not served. */
function typedConversion(served: ServedResource): ManagerConversion {
  const { definition, version } = served
  return function* (object, apiVersion) {
    const to = servedVersion(served, apiVersion)
    if (to === undefined) return undefined
    const from = versionsOf(definition).get(object.apiVersion) ?? version
    // A normalized copy: an object whose fields were removed by an apply may lack members that conversion functions
    // expect.
    const copy = normalized(from, object)
    yield
    const converted = yield* convertInSteps(definition, copy, from, to)
    yield
    return { schema: to.schema, object: normalized(to, converted) }
  }
}

/** Replaces the apiVersion. As upstream, fails if the schema of the other version does not declare all fields. */
function unstructuredConversion({ definition }: ServedResource): ManagerConversion {
  return (object, apiVersion) => fitting(customVersion(definition, apiVersion).schema, { ...object, apiVersion })
}

/** Pairs an object with the schema of its version. Throws an ApplyError if it does not match the schema. */
export function* fitting(schema: StructSchema, object: KubeObject): Steps<Versioned> {
  const errors = yield* validateTyped(schema, object)
  if (errors.length > 0) throw new ApplyError('internal', errorsText(errors))
  return { schema, object }
}

/** Returns a version of a custom kind. Throws an ApplyError if the definition does not have it. */
export function customVersion(definition: ResourceDefinition, apiVersion: string): Version {
  const version = versionsOf(definition).get(apiVersion)
  if (version === undefined) throw new ApplyError('internal', `request to convert CR to an invalid group/version: ${apiVersion}`)
  return version
}
