import type { ResourceDefinition } from '../../catalog/definition.ts'
import type { Conversion } from './conversion.ts'
import { versionsOf } from './convert.ts'
import { customConversion } from './custom.ts'
import { inProcessConversion } from './in-process.ts'
import { webhookConversion } from './webhook.ts'

const conversions = new WeakMap<ResourceDefinition, Conversion>()

/** Returns the conversion of a definition. It is made on first use. */
export function conversionOf(definition: ResourceDefinition): Conversion {
  let conversion = conversions.get(definition)
  if (conversion === undefined) {
    conversion = makeConversion(definition)
    conversions.set(definition, conversion)
  }
  return conversion
}

function makeConversion(definition: ResourceDefinition): Conversion {
  const { converter, storage, hub } = definition
  if (converter) return webhookConversion(definition, converter)
  const isRelabelled = storage !== undefined && hub.schema.form.name === 'unstructured' && versionsOf(definition).size > 1
  return isRelabelled ? customConversion(definition) : inProcessConversion(definition)
}
