import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { encodeJsonText } from '../../codec/json.ts'
import type { TypeMeta } from '../../codec/protobuf.ts'
import type { JsonObject, ListMeta, ObjectMeta } from '../../meta/object.ts'
import type { AnsweredStatus } from '../../meta/status.ts'
import type { ListResult } from '../../registry/read.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import { META_V1 } from '../../schema/meta-types.ts'
import type { StructSchema } from '../../schema/schema.ts'

const types = new TypeRegistry().addFile('meta', META_V1)

/** A type of meta/v1, such as `meta.DeleteOptions`. */
export const metaType = (id: string): StructSchema => types.type(id)

/** The type of an object, and of a list. */
export const typeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: version.kind })

export const listTypeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: listKindOf(version) })

/** ListMeta of a page: empty members are absent, as Go leaves them out. */
export function listMeta(result: ListResult): ListMeta {
  return {
    resourceVersion: result.resourceVersion,
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remainingItemCount !== undefined && { remainingItemCount: result.remainingItemCount }),
  }
}

const text = (id: string, value: JsonObject): string => encodeJsonText(metaType(id), value)

/** JSON of types of meta/v1, members in the order in which Go writes them. */
export const statusText = (status: AnsweredStatus): string => text('meta.Status', status)
export const listMetaText = (meta: ListMeta): string => text('meta.ListMeta', meta)
export const objectMetaText = (meta: ObjectMeta): string => text('meta.ObjectMeta', meta)

/** The annotation of the bookmark that ends the initial events of a watch. */
export const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/** Its annotations where objects are shown: the empty list shows a client what a list would have looked like. */
export const initialEndAnnotations = (blueprint: Buffer) => ({ ...INITIAL_END, 'kubernetes.io/initial-events-list-blueprint': blueprint.toString('base64') })
