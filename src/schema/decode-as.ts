import type { Json } from '../meta/object.ts'
import { decode } from './decode.ts'
import type { StructSchema } from './schema.ts'

/**
 * A value as decoding by the schema of `T` leaves it: the declaration is taken at its word, of which `T` is generated. Throws a DecodeError.
 */
export const decodeAs = <T>(schema: StructSchema, value: Json): T => decode(schema, value) as T
