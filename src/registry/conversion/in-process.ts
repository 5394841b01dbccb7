import type { KubeObject } from '../../api/meta/object.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import { type Awaitable, after } from '../../lib/awaitable.ts'
import { runInTurns, type Steps, startInTurns } from '../../lib/steps.ts'
import { cloneExactlyInSteps } from '../../meta/whole-floats.ts'
import type { StoredObject } from '../../storage/storage.ts'
import { applyDefaultsInSteps } from '../decode-object.ts'
import type { ListOptions } from '../read.ts'
import { objectInTurns, whenReady } from '../ready-object.ts'
import { registryFormOf } from '../registry-form.ts'
import type { RequestResult } from '../types.ts'
import { storedTerms, versionViewOf } from '../version-view.ts'
import type { Conversion, ConversionView } from './conversion.ts'
import { afterStoring, convert, copyIn, copyInSteps, versionsOf } from './convert.ts'

/**
 * Conversion of a kind that the server converts by itself: hooks and admission see the hub version, and one version is
 * stored. Most results are values, not promises.
 */
export function inProcessConversion(definition: ResourceDefinition): Conversion {
  const { hub, storage } = definition
  const views = new Map<Version, ConversionView>()
  const view = (version: Version): ConversionView => {
    let known = views.get(version)
    if (known === undefined) {
      known = inProcessView(definition, version)
      views.set(version, known)
    }
    return known
  }
  const objectIn = (version: Version, stored: StoredObject): Awaitable<KubeObject> =>
    objectInTurns(versionViewOf(definition, version)?.object(stored) ?? stored)
  return {
    hookVersion: () => hub,
    objectIn,
    cachedObjectIn: objectIn,
    fromHooks: (object, version) => startInTurns(copyInSteps(definition, object, version)),
    toStored: object => object,
    answer({ served: { version } }, answer) {
      if ('object' in answer) return hasOneVersion(definition) ? answer : runInTurns(readAgain(definition, version, answer.object))
      const shown = versionViewOf(definition, version)
      if (shown === undefined) return answer
      return after(whenReady(shown.object(answer.stored)), stored => ({ stored }))
    },
    deletionAnswer: (_version, _object, _deleted, stored) => objectInTurns(stored),
    view,
    withManagers: (served, run) => startInTurns(run(registryFormOf(served.version.schema).managers(served))),
    seenIn: () => undefined,
    codec: {
      isKept: () => false,
      fromStore: (object, from) => convert(definition, object, from, storage?.version ?? hub),
      toSelect: object => copyIn(definition, object, storage?.version ?? hub),
    },
  }
}

/**
 * Returns an object that was not stored as if it had been stored and read back: with the fields and the defaults of the
 * storage version.
 */
function* readAgain(definition: ResourceDefinition, version: Version, object: KubeObject): Steps<RequestResult> {
  const stored = definition.storage?.version
  if (stored === undefined) return { object }
  const copy = yield* cloneExactlyInSteps(object)
  const wanted = yield* applyDefaultsInSteps(stored, yield* copyInSteps(definition, copy, stored))
  yield
  return { object: yield* copyInSteps(definition, yield* afterStoring(stored, wanted), version) }
}

const hasOneVersion = (definition: ResourceDefinition): boolean => versionsOf(definition).size === 1

/** Returns a view whose selectors match objects in the storage version. */
function inProcessView(definition: ResourceDefinition, version: Version): ConversionView {
  const view = versionViewOf(definition, version)
  const withStoredTerms = (options: ListOptions): ListOptions =>
    version.fieldAliases === undefined ? options : { ...options, fields: storedTerms(version, options.fields) }
  const object = (stored: StoredObject): Awaitable<StoredObject> => (view ? whenReady(view.object(stored)) : stored)
  return {
    object,
    cachedObject: object,
    async list(read, _prefix, options) {
      const result = await read(withStoredTerms(options))
      return view ? { ...result, items: result.items.map(item => view.object(item)) } : result
    },
    async watch(open, options) {
      const watcher = await open(withStoredTerms(options))
      return view?.watcher(watcher) ?? watcher
    },
  }
}
