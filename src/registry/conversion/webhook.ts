import { decodedObject, type KubeObject } from '../../api/meta/object.ts'
import { ApplyError } from '../../apply/apply-error.ts'
import type { Versioned } from '../../apply/ownership.ts'
import { apiVersionOfVersion, type ServedResource } from '../../catalog/catalog.ts'
import type { RemoteConverter, ResourceDefinition, Version } from '../../catalog/definition.ts'
import { goJson } from '../../codec/json.ts'
import { invariant } from '../../lib/invariant.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import { decode } from '../../schema/decode.ts'
import type { Revision } from '../../storage/revision.ts'
import type { StoredObject } from '../../storage/storage.ts'
import { applyKindDefaults } from '../decode-object.ts'
import { ConversionError } from '../errors.ts'
import { predicateOf } from '../read.ts'
import { customVersion, fitting } from '../registry-form.ts'
import { listSelected, selectsByContent, watchSelected, withoutContentTerms } from '../remote-selection.ts'
import { type RemoteView, remoteViewOf, withoutRevision } from '../remote-view.ts'
import type { Conversion, ConversionView } from './conversion.ts'
import { afterStoring } from './convert.ts'

/**
 * Conversion of a custom kind by a webhook. Objects keep the version in which they were stored until the next write.
 * Hooks and admission see them in the version of the request.
 */
export function webhookConversion(definition: ResourceDefinition, converter: RemoteConverter): Conversion {
  invariant(definition.storage, 'what a webhook converts is stored')
  const { version: storedVersion } = definition.storage
  const storedApiVersion = apiVersionOfVersion(storedVersion)
  const remote = (version: Version): RemoteView => remoteViewOf(definition, version, converter)
  const objectIn = async (version: Version, stored: StoredObject): Promise<KubeObject> => (await remote(version).object(stored)).object()
  const toStored = (object: KubeObject): Promise<KubeObject> => convertedOne(converter, withoutRevision(object), storedVersion)
  /**
   * Returns the object of a dry run as if it had been stored and read back: with the fields and the defaults of the
   * storage version.
   */
  const readAgain = async (version: Version, object: KubeObject): Promise<KubeObject> => {
    const { resourceVersion } = object.metadata
    const wanted = await runInTurns(afterStoring(storedVersion, applyKindDefaults(storedVersion, clone(await toStored(object)))))
    const shown = await convertedOne(converter, wanted, version)
    return { ...shown, metadata: { ...shown.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } }
  }
  return {
    hookVersion: version => version,
    objectIn,
    cachedObjectIn: async (version, stored) => (await remote(version).cachedObject(stored)).object(),
    fromHooks: object => object,
    toStored,
    async answer({ served: { version }, dryRun }, answer) {
      if ('stored' in answer) return { stored: await remote(version).object(answer.stored) }
      // A deleted object is returned as it was read.
      return dryRun ? { object: await readAgain(version, answer.object) } : answer
    },
    // A deleted object is returned as it was read. No second conversion is needed.
    deletionAnswer: (version, object, deleted, stored) => (deleted ? withRevision(object, stored.revision) : objectIn(version, stored)),
    view: version => webhookView(remote(version)),
    withManagers: (served, run) => withConversions(served, converter, convert => runInTurns(run(convert))),
    seenIn: (version, objects) => converter.convert(objects, version),
    codec: {
      isKept: object => object.apiVersion !== storedApiVersion,
      fromStore: object => object,
      toSelect: object => object,
    },
  }
}

const withRevision = (object: KubeObject, revision: Revision): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})

/** Returns a view whose selectors match converted objects, except for name and namespace, which match stored ones. */
const webhookView = (remote: RemoteView): ConversionView => ({
  fill: remote.fill,
  object: stored => remote.object(stored),
  cachedObject: stored => remote.cachedObject(stored),
  async list(read, prefix, options) {
    if (selectsByContent(options)) return listSelected(remote, prefix, read, options)
    const result = await read(options)
    return { ...result, items: await remote.objects(result.items) }
  },
  async watch(open, options) {
    const predicate = predicateOf(options.labels, options.fields, options.shard)
    const watcher = await open(withoutContentTerms(options))
    return selectsByContent(options) ? watchSelected(remote, watcher, predicate) : remote.watcher(watcher)
  },
})

/** Thrown out of an update of managed fields that needs a conversion whose result is not available yet. */
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
 * Returns a conversion that has completed. Throws a MissingConversion if it has not, and an ApplyError if it failed or
 * the converted object does not match the schema.
 */
type ConversionOrMissing = (object: KubeObject, apiVersion: string) => Steps<Versioned>

/**
 * Calls `run` with conversions by a webhook and returns its result. The update of managed fields is synchronous, so
 * `run` is called again after each conversion that was missing. It must have no effects until it succeeds. Most writes
 * need no conversion, because all managers use the version of the request.
 */
export async function withConversions<T>(
  served: ServedResource,
  converter: RemoteConverter,
  run: (convert: ConversionOrMissing) => T | Promise<T>,
): Promise<T> {
  const known = new Map<string, KubeObject | ApplyError>()
  const convert: ConversionOrMissing = (object, apiVersion) => {
    const to = customVersion(served.definition, apiVersion)
    const key = `${apiVersion} ${goJson(object)}`
    const converted = known.get(key)
    if (converted === undefined) throw new MissingConversion(object, to, key)
    if (converted instanceof ApplyError) throw converted
    return decodeConverted(converted, to)
  }
  for (;;) {
    try {
      return await run(convert)
    } catch (error) {
      if (!(error instanceof MissingConversion)) throw error
      known.set(error.key, await convertOne(converter, error))
    }
  }
}

/** Decodes a converted object. Throws an ApplyError if it has fields that the version does not declare. */
function* decodeConverted(converted: KubeObject, { schema }: Version): Steps<Versioned> {
  yield* fitting(schema, converted)
  const { kind, apiVersion } = converted
  return { schema, object: decodedObject({ kind, apiVersion, ...decode(schema, converted) }) }
}

async function convertedOne(
  converter: RemoteConverter,
  object: KubeObject,
  to: Version,
  options?: { readonly prune: boolean },
): Promise<KubeObject> {
  const [converted] = await converter.convert([object], to, options)
  invariant(converted, 'a converter returns as many objects as it is given')
  return converted
}

/**
 * Converts an object, without a call if it is empty: an empty object stands for one that does not exist yet. A failure
 * is returned, to be thrown by the step that needs the object.
 */
async function convertOne(converter: RemoteConverter, { object, to }: MissingConversion): Promise<KubeObject | ApplyError> {
  if (
    Object.keys(object).every(name => name === 'kind' || name === 'apiVersion' || name === 'metadata') &&
    Object.keys(object.metadata ?? {}).length === 0
  )
    return { ...object, apiVersion: apiVersionOfVersion(to) }
  try {
    return await convertedOne(converter, object, to, { prune: false })
  } catch (error) {
    if (error instanceof ConversionError) return new ApplyError('internal', error.message)
    throw error
  }
}
