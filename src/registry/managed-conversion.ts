import { ApplyError } from '../apply/apply-error.ts'
import type { Change, Versioned } from '../apply/ownership.ts'
import { errorsText, validateLive } from '../apply/typed-validate.ts'
import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { RemoteConverter, ResourceDefinition, Version } from '../catalog/definition.ts'
import { goJson } from '../codec/json.ts'
import { runAtOnce } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import type { Json, KubeObject } from '../meta/object.ts'
import { ConversionError } from './conversion-error.ts'
import { convert, normalized, versionsOf } from './convert.ts'

type Conversion = NonNullable<Change['convert']>

const conversions = new WeakMap<ServedResource, Conversion>()

const servedVersion = ({ definition }: ServedResource, apiVersion: string): Version | undefined =>
  definition.versions.find(each => apiVersionOfVersion(each) === apiVersion)

/** Of a kind that is converted by its fields: an object in another version that is served. Undefined where there is one version only. */
export const typedManagers = (served: ServedResource): Change['convert'] =>
  served.definition.versions.length === 1 ? undefined : known(served, typedConversion)

/** Of a custom kind that no webhook converts. An apply fails on managers of a version that the definition does not have, however many it has. */
export const untypedManagers = (served: ServedResource): Change['convert'] => known(served, untypedConversion)

function known(served: ServedResource, make: (served: ServedResource) => Conversion): Conversion {
  let conversion = conversions.get(served)
  if (conversion === undefined) {
    conversion = make(served)
    conversions.set(served, conversion)
  }
  return conversion
}

function typedConversion(served: ServedResource): Conversion {
  const { definition, version } = served
  return (object, apiVersion) => {
    const to = servedVersion(served, apiVersion)
    const from = versionsOf(definition).get(object.apiVersion) ?? version
    return to && { schema: to.schema, object: normalized(to, convert(definition, clone(object), from, to)) }
  }
}

/** As it is but for its apiVersion. What the other version does not declare stands in the way, as upstream. */
function untypedConversion({ definition }: ServedResource): Conversion {
  return (object, apiVersion) => {
    const { schema } = customVersion(definition, apiVersion)
    const converted = { ...object, apiVersion }
    const errors = runAtOnce(validateLive(schema, converted as unknown as Json))
    if (errors.length > 0) throw new ApplyError('internal', errorsText(errors))
    return { schema, object: converted }
  }
}

function customVersion(definition: ResourceDefinition, apiVersion: string): Version {
  const version = versionsOf(definition).get(apiVersion)
  if (version === undefined) throw new ApplyError('internal', `request to convert CR to an invalid group/version: ${apiVersion}`)
  return version
}

/** Thrown through what tracks managed fields, where it asks for a conversion that is not known yet. */
class MissingConversion {
  readonly object: KubeObject
  readonly to: Version
  readonly key: string

  constructor(object: KubeObject, to: Version, key: string) {
    this.object = object
    this.to = to
    this.key = key
  }
}

/**
 * What `run` returns, where somebody else converts the kind: tracking managed fields waits for nobody, so it is run again after each conversion that it lacked. Until it succeeds it
 * must change nothing. Most writes lack none, as all managers know the version of the request.
 */
export async function withConversions<T>(served: ServedResource, converter: RemoteConverter, run: (convert: Change['convert']) => T): Promise<T> {
  const known = new Map<string, KubeObject>()
  const convert = (object: KubeObject, apiVersion: string): Versioned | undefined => {
    const to = customVersion(served.definition, apiVersion)
    const key = `${apiVersion} ${goJson(object as unknown as Json)}`
    const converted = known.get(key)
    if (converted === undefined) throw new MissingConversion(object, to, key)
    return { schema: to.schema, object: converted }
  }
  for (;;) {
    try {
      return run(convert)
    } catch (error) {
      if (!(error instanceof MissingConversion)) throw error
      known.set(error.key, await convertOne(converter, error))
    }
  }
}

/** An empty object, which stands for one that is not there yet, is what it is in every version. */
async function convertOne(converter: RemoteConverter, { object, to }: MissingConversion): Promise<KubeObject> {
  if (Object.keys(object).every(name => name === 'kind' || name === 'apiVersion' || name === 'metadata') && Object.keys(object.metadata ?? {}).length === 0)
    return { ...object, apiVersion: apiVersionOfVersion(to) }
  try {
    const [converted] = await converter.convert([object], to)
    return converted!
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(`failed to convert old object: ${error.message}`) : error
  }
}
