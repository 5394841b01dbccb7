import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { RemoteConverter, ResourceDefinition, Version } from '../catalog/definition.ts'
import { invariant } from '../lib/invariant.ts'
import { runAtOnce } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'
import type { Revision } from '../storage/revision.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { Conversion, ConversionView } from './conversion.ts'
import { applyKindDefaults } from './decode-object.ts'
import { withConversions } from './managed-conversion.ts'
import { predicateOf } from './read.ts'
import { listSelected, selectsByContent, watchSelected, withoutContentTerms } from './remote-selection.ts'
import { type RemoteView, remoteViewOf, withoutRevision } from './remote-view.ts'

/** Of a kind that a webhook converts: objects stay in the version in which they were stored, and hooks and admission see them in the version of the request. */
export function webhookConversion(definition: ResourceDefinition, converter: RemoteConverter): Conversion {
  invariant(definition.storage, 'what a webhook converts is stored')
  const { version: storedVersion } = definition.storage
  const storedApiVersion = apiVersionOfVersion(storedVersion)
  const remote = (version: Version): RemoteView => remoteViewOf(definition, version, converter)
  const objectIn = async (version: Version, stored: StoredObject): Promise<KubeObject> => (await remote(version).object(stored)).object()
  const toStored = async (object: KubeObject): Promise<KubeObject> => (await converter.convert([withoutRevision(object)], storedVersion))[0]!
  /** An object that is not stored as if it had been stored and read again: with the defaults of the stored version. */
  const readAgain = async (version: Version, object: KubeObject): Promise<KubeObject> => {
    const { resourceVersion } = object.metadata
    const [shown] = await converter.convert([applyKindDefaults(storedVersion, clone(await toStored(object)))], version)
    return { ...shown!, metadata: { ...shown!.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } }
  }
  return {
    hookVersion: version => version,
    objectIn,
    fromHooks: object => object,
    toStored,
    async answer({ served: { version }, dryRun }, answer) {
      if ('stored' in answer) return { stored: await remote(version).object(answer.stored) }
      // What is gone is told as it was.
      return dryRun ? { object: await readAgain(version, answer.object) } : answer
    },
    // What is gone is told as it was read: nobody need convert it once more.
    deletionAnswer: (version, object, deleted, stored) => (deleted ? withRevision(object, stored.revision) : objectIn(version, stored)),
    view: version => webhookView(remote(version)),
    metadataView: () => AS_STORED,
    withManagers: (served, run) => withConversions(served, converter, convert => runAtOnce(run(convert))),
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

/** Selectors are looked at in what comes back, but for names. */
const webhookView = (remote: RemoteView): ConversionView => ({
  object: stored => remote.object(stored),
  async list(read, prefix, options) {
    if (selectsByContent(options)) return listSelected(remote, prefix, read, options)
    const result = await read(options)
    return { ...result, items: await remote.objects(result.items) }
  },
  async watch(open, options) {
    const predicate = predicateOf(options.labels, options.fields)
    const watcher = await open(withoutContentTerms(options))
    return selectsByContent(options) ? watchSelected(remote, watcher, predicate) : remote.watcher(watcher)
  },
})

const AS_STORED: ConversionView = {
  object: stored => stored,
  list: (read, _prefix, options) => read(options),
  watch: (open, options) => open(options),
}
