import type { Json } from '../api/meta/object.ts'
import { decode } from './decode.ts'
import type { StructSchema } from './schema.ts'

/**
 * Decodes a value by the schema of `T`. `T` must be the type generated from that schema; this is not checked. Throws a
 * DecodeError.
 */
export const decodeAs = <T>(schema: StructSchema, value: Json): T => decode(schema, value) as T
