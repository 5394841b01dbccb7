import type { ResourceDefinition } from '../catalog/definition.ts'
import type { Conversion } from './conversion.ts'
import { inProcessConversion } from './in-process-conversion.ts'
import { webhookConversion } from './webhook-conversion.ts'

const conversions = new WeakMap<ResourceDefinition, Conversion>()

/** The conversion of a definition, made when first asked for. */
export function conversionOf(definition: ResourceDefinition): Conversion {
  let conversion = conversions.get(definition)
  if (conversion === undefined) {
    const { converter } = definition
    conversion = converter ? webhookConversion(definition, converter) : inProcessConversion(definition)
    conversions.set(definition, conversion)
  }
  return conversion
}
