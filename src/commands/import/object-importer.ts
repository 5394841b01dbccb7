import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject, type KubeObject, objectIn } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import { asKind } from '../../catalog/define.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import { goJson, parseJson } from '../../codec/json.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Release } from '../../lifecycle/release.ts'
import { clone } from '../../meta/equal.ts'
import { codecOf, storedAsOf } from '../../registry/codec.ts'
import { convert, versionsOf } from '../../registry/conversion/convert.ts'
import { decodeObject } from '../../registry/decode-object.ts'
import { keySpace, segmentFault } from '../../registry/keys.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../resources/kinds.ts'
import { gitVersion } from '../../server/version.ts'
import type { ImportedValue } from '../../storage/embedded/import.ts'
import { key as asKey } from '../../storage/revision.ts'
import type { ResourceCodec } from '../../storage/storage.ts'
import type { Encryption } from '../../storage/value/encryption.ts'
import type { ServedKind } from '../../upgrade/versions/release-kinds.ts'
import { ObjectKinds } from './object-kinds.ts'
import { withoutSecrets } from './redact.ts'
import type { Remarks } from './remarks.ts'
import { type Claim, numberRevisions } from './revisions.ts'
import type { SpoolRange, ValueSpool } from './spool.ts'

/** Properties of the server that the data directory is for. */
export interface ImporterOptions {
  /** Release that the server will emulate. */
  readonly release: Release
  /** Prefix of all keys, such as `/registry`. */
  readonly prefix: string
  readonly redactsSecrets: boolean
  /** Optional. Omitted to store values unencrypted. */
  readonly encryption?: Encryption
  /** Current time in RFC 3339, such as `2024-01-01T00:00:00Z`. */
  readonly now: string
}

/**
 * A value in the spool, with its key and original revision. `ttlSeconds` is set for kinds whose objects expire, such as
 * events.
 */
interface SpooledValue extends Claim {
  readonly value: SpoolRange
  readonly ttlSeconds: number | undefined
}

/** An object in the spool whose kind is not defined yet. `place` names it in messages. */
interface WaitingObject {
  readonly object: SpoolRange
  readonly place: string
}

/** Pattern of a resource version. Longer ones are rejected, because writes after the import need higher revisions. */
const REVISION = /^[1-9]\d{0,14}$/
/** Maximum length of a key in bytes, as in the store. */
const LONGEST_KEY = 1978
/** Number of unknown fields that a message lists. */
const MOST_FIELDS = 3

/**
 * Converts objects as served by an API server to the values that this server stores: in the storage version of their
 * kind, under its key. Uids, owners, managed fields and status are preserved. Values are written to the spool; memory
 * holds only a key and a position for each.
 */
export class ObjectImporter {
  readonly #options: ImporterOptions
  readonly #remarks: Remarks
  readonly #spool: ValueSpool
  readonly #kinds: ObjectKinds
  readonly #codecs = new Map<ResourceDefinition, ResourceCodec>()
  readonly #kept = new Map<string, SpooledValue>()
  /** Objects of unknown kinds. Their definition may follow. */
  readonly #waiting: WaitingObject[] = []
  #newest = 0

  constructor(options: ImporterOptions, remarks: Remarks, spool: ValueSpool) {
    this.#options = options
    this.#remarks = remarks
    this.#spool = spool
    this.#kinds = new ObjectKinds(options.release)
  }

  /**
   * Adds an object. An object that cannot be stored is reported as a remark.
   * @param place source of the object, for messages.
   */
  add(found: JsonObject, place: string): void {
    try {
      this.#add(this.#options.redactsSecrets ? withoutSecrets(found) : found, place)
    } catch (error) {
      // An invalid object does not prevent the import of others.
      this.#remarks.lost(place, errorMessage(error))
    }
  }

  #add(object: JsonObject, place: string): void {
    const { apiVersion, kind } = object
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
      this.#remarks.lost(place, 'it has no apiVersion or no kind')
      return
    }
    const known = this.#kinds.find(apiVersion, kind)
    if (known) this.#store(known, object, place)
    else this.#waiting.push({ object: this.#spool.write(Buffer.from(goJson(object))), place })
  }

  /** Records a revision that the source has reached. */
  sawRevision(text: string): void {
    if (REVISION.test(text)) this.#newest = Math.max(this.#newest, Number(text))
  }

  /** Drops the objects of a resource, before they are listed again. */
  forget(apiVersion: string, kind: string): void {
    const storage = this.#kinds.find(apiVersion, kind)?.definition.storage
    if (storage)
      for (const key of this.#kept.keys()) if (key.startsWith(`${this.#options.prefix}/${storage.prefix}/`)) this.#kept.delete(key)
  }

  /**
   * Returns all values with unique revisions, and reports the objects whose revision changed. Ends the importer:
   * objects that are added later are ignored.
   */
  finish(now: number): { readonly newest: number; readonly values: Iterable<ImportedValue> } {
    for (const { object, place } of this.#waiting.splice(0)) this.#addLate(object, place)
    const { items, newest, moved, missing } = numberRevisions([...this.#kept.values()], this.#newest)
    if (moved > 0) this.#remarks.note(objects(moved), 'had the resource version of another object and got a new one')
    if (missing > 0) this.#remarks.note(objects(missing), 'had no resource version and got one')
    const spool = this.#spool
    function* values(): Generator<ImportedValue> {
      for (const { item, revision } of items) {
        const deadline = item.ttlSeconds === undefined ? undefined : now + item.ttlSeconds * 1000
        yield { key: item.key, value: spool.read(item.value), createRevision: revision, modRevision: revision, deadline }
      }
    }
    return { newest, values: values() }
  }

  #addLate(stored: SpoolRange, place: string): void {
    try {
      const { value } = parseJson(this.#spool.read(stored))
      if (!isJsonObject(value)) return
      const [apiVersion, kind] = [String(value.apiVersion), String(value.kind)]
      const known = this.#kinds.find(apiVersion, kind)
      if (known) this.#store(known, value, place)
      else this.#remarks.note(place, `skipped, because ${apiVersion} ${kind} is not defined`)
    } catch (error) {
      this.#remarks.lost(place, errorMessage(error))
    }
  }

  #store(found: ServedKind, value: JsonObject, place: string): void {
    const { definition, version } = found
    const name = `${String(value.apiVersion)} ${version.kind}`
    if (definition.storage === undefined) {
      this.#remarks.note(place, `skipped, because ${name} is not stored`)
      return
    }
    const key = this.#keyOf(definition, objectIn(value.metadata))
    const unknown: string[] = []
    const object = decodeObject(version, value, path => unknown.push(path))
    const [first] = unknown
    if (first !== undefined)
      this.#remarks.note(
        `${place} (${unknown.slice(0, MOST_FIELDS).join(', ')}${unknown.length > MOST_FIELDS ? ', …' : ''})`,
        `has fields that ${name} of ${this.#options.release} has not`,
      )
    this.#defineWith(found, object, place)
    this.#identify(object, place)
    const { resourceVersion } = object.metadata
    const revision = REVISION.test(resourceVersion ?? '') ? Number(resourceVersion) : 0
    const before = this.#kept.get(key)
    // Keeps the newer of two versions of an object, or the first of two equal ones.
    if (before && before.revision >= revision) return
    const current = inKnownVersion(found, object)
    const codec = this.#codecOf(definition)
    const bytes = codec.toStorage(codec.encode(current), asKey(key))
    this.#kept.set(key, { key, revision, value: this.#spool.write(bytes), ttlSeconds: definition.strategy?.ttlSeconds?.(current) })
  }

  /**
   * Sets a missing creation timestamp and uid, as if the object were created now. The server identifies objects by uid.
   */
  #identify({ metadata }: KubeObject, place: string): void {
    metadata.creationTimestamp ??= this.#options.now
    if (metadata.uid) return
    metadata.uid = randomUUID()
    this.#remarks.note(place, 'had no uid and got one')
  }

  /** Returns the key of an object. Throws if its name or namespace is invalid. */
  #keyOf(definition: ResourceDefinition, { namespace = '', name }: JsonObject): string {
    const isNamespaced = definition.scope === 'Namespaced'
    if (typeof name !== 'string' || name === '') throw new Error('it has no name')
    if (typeof namespace !== 'string') throw new Error('its namespace is not a string')
    if (isNamespaced !== (namespace !== ''))
      throw new Error(isNamespaced ? 'it has no namespace' : 'it has a namespace, and objects of its kind have none')
    for (const segment of isNamespaced ? [namespace, name] : [name]) {
      const fault = segmentFault(segment)
      if (fault !== undefined) throw new Error(`${JSON.stringify(segment)} is not a valid name: it ${fault}`)
    }
    const key = keySpace(this.#options.prefix, definition).object(namespace, name)
    if (Buffer.byteLength(key) > LONGEST_KEY) throw new Error('its name is too long')
    return key
  }

  #defineWith(found: ServedKind, object: KubeObject, place: string): void {
    if (found.definition.hub.kind !== 'CustomResourceDefinition') return
    try {
      this.#kinds.define(asKind(CUSTOM_RESOURCE_DEFINITIONS, inKnownVersion(found, clone(object))))
    } catch (error) {
      this.#remarks.note(place, `imported, but not its objects: ${errorMessage(error)}`)
    }
  }

  #codecOf(definition: ResourceDefinition): ResourceCodec {
    const { release, encryption } = this.#options
    let codec = this.#codecs.get(definition)
    if (!codec) {
      codec = codecOf(definition, gitVersion(release), 'json', encryption?.transformerFor(storedAsOf(definition)))
      this.#codecs.set(definition, codec)
    }
    return codec
  }
}

const objects = (count: number): string => `${count} ${count === 1 ? 'object' : 'objects'}`

/**
 * Converts an object from a version that its definition does not have to the hub version. Versions that were removed
 * before the oldest supported release are converted in this way.
 */
function inKnownVersion({ definition, version }: ServedKind, object: KubeObject): KubeObject {
  const isKnown = versionsOf(definition).get(apiVersionOfVersion(version)) === version
  return isKnown ? object : convert(definition, object, version, definition.hub)
}
