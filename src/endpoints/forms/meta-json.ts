import { encodeJsonText } from '../../codec/json.ts'
import type { JsonObject, ListMeta, ObjectMeta } from '../../meta/object.ts'
import type { AnsweredStatus } from '../../meta/status.ts'
import { metaType } from '../meta-type.ts'

const text = (id: string, value: JsonObject): string => encodeJsonText(metaType(id), value)

/** JSON of types of meta/v1, members in the order in which Go writes them. */
export const statusText = (status: AnsweredStatus): string => text('meta.Status', status)
export const listMetaText = (meta: ListMeta): string => text('meta.ListMeta', meta)
export const objectMetaText = (meta: ObjectMeta): string => text('meta.ObjectMeta', meta)
