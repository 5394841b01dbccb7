import type { FormName, StructSchema } from '../../schema/schema.ts'
import { BUILT_IN } from './built-in.ts'
import { CUSTOM } from './custom.ts'
import type { Dialect } from './dialect.ts'

/** Returns the dialect of a kind, or of a view of one, by its schema. */
export const dialectOf = ({ form }: StructSchema): Dialect => DIALECTS[form.name]

const DIALECTS: Readonly<Record<FormName, Dialect>> = { typed: BUILT_IN, unstructured: CUSTOM }
