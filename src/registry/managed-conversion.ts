import type { Change, Versioned } from '../apply/ownership.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import { clone } from '../meta/equal.ts'
import { convert, normalized, versionsOf } from './convert.ts'

const conversions = new WeakMap<ServedResource, NonNullable<Change['convert']>>()

/** What tracking managed fields needs of a resource in several versions: an object in another version that is served. Undefined where there is one only. */
export function managedConversion(served: ServedResource): Change['convert'] {
  const { definition, version } = served
  if (definition.versions.length === 1) return undefined
  let conversion = conversions.get(served)
  if (!conversion) {
    conversion = (object, apiVersion): Versioned | undefined => {
      const to = definition.versions.find(each => apiVersionOfVersion(each) === apiVersion)
      const from = versionsOf(definition).get(object.apiVersion) ?? version
      return to && { schema: to.schema, object: normalized(to, convert(definition, clone(object), from, to)) }
    }
    conversions.set(served, conversion)
  }
  return conversion
}
