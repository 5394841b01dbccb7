import { TypeRegistry } from '../schema/idl.ts'
import { META_V1 } from '../schema/meta-types.ts'
import type { StructSchema } from '../schema/schema.ts'

const types = new TypeRegistry().addFile('meta', META_V1)

/** A type of meta/v1, such as `meta.DeleteOptions`. */
export const metaType = (id: string): StructSchema => types.type(id)
