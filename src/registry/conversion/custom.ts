import type { KubeObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { invariant } from '../../lib/invariant.ts'
import { runInTurns, type Steps, startInTurns } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import type { StoredObject } from '../../storage/storage.ts'
import { applyDefaultsInSteps } from '../decode-object.ts'
import { objectInTurns, whenReady } from '../ready-object.ts'
import { registryFormOf } from '../registry-form.ts'
import { VersionView } from '../version-view.ts'
import type { Conversion, ConversionView } from './conversion.ts'
import { afterStoring, copyIn, copyInSteps, normalizedInSteps } from './convert.ts'

/**
 * Conversion of a custom kind with several versions and no webhook (strategy `None`): replaces the apiVersion, and
 * prunes fields that the schema of the other version does not declare. Objects keep the version in which they were
 * stored, with the fields and defaults of that version, until the next write. Hooks and admission see them in the
 * version of the request.
 */
export function customConversion(definition: ResourceDefinition): Conversion {
  const { storage } = definition
  invariant(storage, 'custom kinds are stored')
  const storedApiVersion = apiVersionOfVersion(storage.version)
  const views = new Map<Version, VersionView>()
  const viewOf = (version: Version): VersionView => {
    const view = views.get(version) ?? new VersionView(definition, version, { passesOwn: true })
    views.set(version, view)
    return view
  }
  const shown = (version: Version, stored: StoredObject): Awaitable<StoredObject> => whenReady(viewOf(version).object(stored))
  const objectIn = (version: Version, stored: StoredObject): Awaitable<KubeObject> => objectInTurns(viewOf(version).object(stored))
  /**
   * Returns the object of a dry run as if it had been stored and read back: with the fields and the defaults of the
   * storage version.
   */
  function* readAgain(version: Version, object: KubeObject): Steps<KubeObject> {
    const wanted = yield* copyInSteps(definition, clone(object), storage?.version ?? version)
    yield
    const stored = yield* afterStoring(storage?.version ?? version, yield* applyDefaultsInSteps(storage?.version ?? version, wanted))
    yield
    return yield* normalizedInSteps(version, yield* copyInSteps(definition, stored, version))
  }
  return {
    hookVersion: version => version,
    objectIn,
    cachedObjectIn: objectIn,
    fromHooks: object => object,
    toStored: object => startInTurns(copyInSteps(definition, object, storage.version)),
    async answer({ served: { version }, dryRun }, answer) {
      if ('stored' in answer) return { stored: await shown(version, answer.stored) }
      return dryRun ? { object: await runInTurns(readAgain(version, answer.object)) } : answer
    },
    deletionAnswer: (version, _object, _deleted, stored) => objectIn(version, stored),
    view: version => customView(viewOf(version)),
    withManagers: (served, run) => startInTurns(run(registryFormOf(served.version.schema).managers(served))),
    seenIn: async (version, objects) => objects.map(object => copyIn(definition, object, version)),
    codec: {
      isKept: object => object.apiVersion !== storedApiVersion,
      fromStore: object => object,
      toSelect: object => copyIn(definition, object, storage.version),
    },
  }
}

/** Returns a view whose selectors match the stored objects. */
function customView(view: VersionView): ConversionView {
  const object = (stored: StoredObject): Awaitable<StoredObject> => whenReady(view.object(stored))
  return {
    object,
    cachedObject: object,
    async list(read, _prefix, options) {
      const result = await read(options)
      return { ...result, items: result.items.map(item => view.object(item)) }
    },
    watch: async (open, options) => view.watcher(await open(options)),
  }
}
