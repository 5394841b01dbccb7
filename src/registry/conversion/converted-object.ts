import type { KubeObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import type { SelectableLabels } from '../../meta/label-matcher.ts'
import { findMetadata, spliceRevision } from '../../storage/json-splice.ts'
import { metadataText, readLabels } from '../../storage/own-metadata.ts'
import { parseOwn, parseOwnInTurns } from '../../storage/parse-own.ts'
import type { Key, Revision } from '../../storage/revision.ts'
import type { Attributes, Encoded, Encoder, StoredObject } from '../../storage/storage.ts'

/** Options of a converted object. Both have defaults. */
interface ConvertedOptions {
  readonly revision?: Revision
  readonly isShared?: boolean
}

/**
 * A stored object in a version that a webhook converted it to. Holds its JSON, so that all readers see the same bytes;
 * other encodings are kept with the stored object.
 */
export class ConvertedObject implements StoredObject {
  readonly key: Key
  readonly revision: Revision
  readonly #stored: StoredObject
  readonly #version: Version
  readonly #bytes: Buffer
  readonly #isShared: boolean
  #known: Attributes | undefined

  /**
   * @param bytes JSON in the form of a list item, with the resourceVersion.
   * @param options `isShared`: whether other encodings are kept with the stored object, for every reader of this
   * conversion (default: true). `revision`: that of the event, if not the object's.
   */
  constructor(
    stored: StoredObject,
    version: Version,
    bytes: Buffer,
    { revision = stored.revision, isShared = true }: ConvertedOptions = {},
  ) {
    this.key = stored.key
    this.revision = revision
    this.#isShared = isShared && revision === stored.revision
    this.#stored = stored
    this.#version = version
    this.#bytes = bytes
  }

  json(): Encoded {
    return { bytes: this.#bytes, header: 1 }
  }

  /** Parses the JSON at each call. Only writes and Tables need the object. */
  object(): KubeObject {
    return parseOwn(this.#bytes)
  }

  objectInTurns(): Promise<KubeObject> | undefined {
    return parseOwnInTurns(this.#bytes)
  }

  encoded(as: Encoder): Encoded {
    const make = (): Encoded => as.encode(this.object())
    if (!this.#isShared) return make()
    return this.#stored.encoded({ id: `${apiVersionOfVersion(this.#version)};${as.id}`, encode: make })
  }

  passing(as: Encoder): Encoded {
    return this.encoded(as)
  }

  sizeOf(as: Encoder): number {
    return this.encoded(as).bytes.length
  }

  kept(): undefined {
    return undefined
  }

  attributes(): Attributes {
    this.#known ??= new ConvertedAttributes(this, this.#version)
    return this.#known
  }
}

/**
 * Labels and fields that selectors match in an object of the version. The object is parsed only for fields other than
 * its name and namespace.
 */
class ConvertedAttributes implements Attributes {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly #object: StoredObject
  readonly #version: Version
  #labels: SelectableLabels | undefined
  #fields: Readonly<Record<string, string>> | undefined

  constructor(object: StoredObject, version: Version) {
    const { bytes, header } = object.json()
    this.namespace = metadataText(bytes, header, 'namespace')
    this.name = metadataText(bytes, header, 'name')
    this.uid = metadataText(bytes, header, 'uid')
    this.#object = object
    this.#version = version
  }

  get labels(): SelectableLabels {
    const { bytes, header } = this.#object.json()
    this.#labels ??= readLabels(bytes, header)
    return this.#labels
  }

  get fields(): Readonly<Record<string, string>> {
    this.#fields ??= this.#read()
    return this.#fields
  }

  /** Reads the selectable fields. The object is parsed if the version declares any. */
  #read(): Readonly<Record<string, string>> {
    const fields: Record<string, string> = { 'metadata.name': this.name, 'metadata.namespace': this.namespace }
    const declared = Object.entries(this.#version.selectableFields ?? {})
    const object = declared.length > 0 ? this.#object.object() : undefined
    for (const [field, read] of declared) if (object) fields[field] = read(object)
    return fields
  }
}

/**
 * Returns the object with another revision. A watch reports an object that its selector no longer matches by the
 * previous content at the new revision.
 */
export function atRevision(object: StoredObject, version: Version, revision: Revision): StoredObject {
  const { bytes } = object.json()
  return new ConvertedObject(object, version, spliceRevision(bytes, findMetadata(bytes, 1), revision, 'sorted'), { revision })
}
