import type { JsonObject, ListMeta, ObjectMeta } from '../../api/meta/object.ts'
import { declarationsOf } from '../../api/packages.ts'
import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { encodeJsonText } from '../../codec/json.ts'
import { goJsonInSteps } from '../../codec/json-in-steps.ts'
import type { TypeMeta } from '../../codec/protobuf.ts'
import type { Steps } from '../../lib/steps.ts'
import { DEFAULT_RELEASE, isSince, minorOf, type Release } from '../../lifecycle/release.ts'
import type { ResponseStatus } from '../../meta/status.ts'
import type { ListResult } from '../../registry/read.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import type { StructSchema } from '../../schema/schema.ts'

const types = new TypeRegistry().addFile('meta', declarationsOf('meta'))

/** Types of responses. They lack `clusterName`, which was removed after 1.24. */
const responseTypes = new TypeRegistry(minorOf(DEFAULT_RELEASE)).addFile('meta', declarationsOf('meta'))

/**
 * Returns the type of the metadata of objects in binary responses, `meta.ObjectMeta` or `meta.PartialObjectMetadata`.
 */
export const metadataType = (id: 'meta.ObjectMeta' | 'meta.PartialObjectMetadata'): StructSchema => responseTypes.type(id)

/** Returns a type of meta/v1, such as `meta.DeleteOptions`. */
export const metaType = (id: string): StructSchema => types.type(id)

/** Returns the type of an object, and of a list. */
export const typeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: version.kind })

/** Returns the type of a list of the version, usually `kind` with `List`. */
export const listTypeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: listKindOf(version) })

/** Returns the ListMeta of a page. Empty members are omitted, as in Go. */
export function listMeta(result: ListResult): ListMeta {
  return {
    resourceVersion: result.resourceVersion,
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remainingItemCount !== undefined && { remainingItemCount: result.remainingItemCount }),
  }
}

/** Returns the ListMeta of a page of whole objects. As upstream, only lists of built-in kinds show their shard. */
export const wholeListMeta = ({ schema }: Version, result: ListResult): ListMeta => ({
  ...listMeta(result),
  ...(result.shard !== undefined && schema.form.name === 'typed' && { shardInfo: { selector: result.shard } }),
})

const metaText = (id: string, value: JsonObject): string => encodeJsonText(metaType(id), value)

/** JSON of meta/v1 types. Members are in the order in which Go writes them. */
export const statusText = (status: ResponseStatus): string => metaText('meta.Status', status)
export const listMetaText = (meta: ListMeta): string => metaText('meta.ListMeta', meta)
export const objectMetaText = (meta: ObjectMeta): string => metaText('meta.ObjectMeta', meta)

/** `objectMetaText` in steps, for metadata that may be large. */
export function* objectMetaTextInSteps(meta: ObjectMeta): Steps<string> {
  return (yield* goJsonInSteps(meta, metaType('meta.ObjectMeta'))).join('')
}

/** Annotation of the bookmark that ends the initial events of a watch. */
export const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/**
 * Annotations of that bookmark in a watch of objects. Before 1.34 it has a blueprint, an empty list, which shows a
 * client the form of lists.
 */
export const initialEndAnnotations = (release: Release = DEFAULT_RELEASE, blueprint: () => Buffer): Readonly<Record<string, string>> =>
  isSince(release, '1.34') ? INITIAL_END : { ...INITIAL_END, 'kubernetes.io/initial-events-list-blueprint': blueprint().toString('base64') }
