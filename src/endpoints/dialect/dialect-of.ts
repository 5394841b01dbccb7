import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { FormName, StructSchema } from '../../schema/schema.ts'
import { BUILT_IN } from './built-in.ts'
import { CUSTOM } from './custom.ts'
import type { BuiltIns, Dialect } from './dialect.ts'

/** The dialect of a kind, and of a view of one, by its schema. */
export const dialectOf = ({ form }: StructSchema): Dialect => DIALECTS[form.name]

const DIALECTS: Readonly<Record<FormName, Dialect>> = { typed: BUILT_IN, unstructured: CUSTOM }

/** The built-in kinds that are served in a group version. */
export const builtInsOf =
  (snapshot: CatalogSnapshot): BuiltIns =>
  apiVersion =>
    snapshot.resourcesOf(apiVersion).flatMap(({ version }) => (dialectOf(version.schema) === BUILT_IN ? [version] : []))
