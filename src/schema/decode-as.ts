import type { Json } from '../meta/object.ts'
import { decode } from './decode.ts'
import type { StructSchema } from './schema.ts'

/**
 * A value as decoding by the schema of `T` leaves it: the declaration is taken at its word, of which `T` is generated. `value`: JSON, or an object of any declared type. Throws a DecodeError.
 */
export const decodeAs = <T>(schema: StructSchema, value: unknown): T => decode(schema, value as Json) as T
