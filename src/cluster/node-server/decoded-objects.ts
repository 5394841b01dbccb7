import type { Json, TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { type Steps, startInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { KwokObjectError } from '../kwok/field-reader.ts'
import { KWOK_API_VERSION } from '../kwok/object-reader.ts'

/** A decoded object, or the reason why it is invalid. */
export type Decoded<T> = T | KwokObjectError

/** Reports whether an object was decoded. */
export const isValid = <T>(decoded: Decoded<T>): decoded is T => !(decoded instanceof KwokObjectError)

/** Most objects that are kept between two lists. */
const MOST_KEPT = 10_000

/** An object of a version. Requests that come while it is decoded share the promise. */
interface DecodedVersion<T> {
  readonly version: string | undefined
  readonly value: Promise<Decoded<T>>
}

/** Decodes objects of a kind of kwok in turns, and keeps the results until the objects change. */
export class DecodedObjects<T> {
  readonly #kind: string
  readonly #decode: (object: Json) => Steps<T>
  /** Decoded objects by key. */
  #kept = new Map<string, DecodedVersion<T>>()

  /** @param decode throws KwokObjectError if an object is invalid */
  constructor(kind: string, decode: (object: Json) => Steps<T>) {
    this.#kind = kind
    this.#decode = decode
  }

  /** Decodes all objects of the kind, in their order. Others are forgotten. */
  ofAll(objects: readonly TypedObject[]): Promise<Decoded<T>[]> {
    const all = new Map(objects.map(object => [objectKey(object), this.#versionOf(object)]))
    this.#kept = all
    return Promise.all(objects.map(object => (all.get(objectKey(object)) ?? this.#versionOf(object)).value))
  }

  /** Decodes some objects of the kind, in their order. */
  ofSome(objects: readonly TypedObject[]): Promise<Decoded<T>[]> {
    if (this.#kept.size >= MOST_KEPT) this.#kept = new Map()
    return Promise.all(
      objects.map(object => {
        const decoded = this.#versionOf(object)
        this.#kept.set(objectKey(object), decoded)
        return decoded.value
      }),
    )
  }

  #versionOf(object: TypedObject): DecodedVersion<T> {
    const version = object.metadata.resourceVersion
    const kept = this.#kept.get(objectKey(object))
    return kept && kept.version === version ? kept : { version, value: this.#decoded(object) }
  }

  async #decoded(object: TypedObject): Promise<Decoded<T>> {
    if (turnIsSpent()) await nextTurn()
    try {
      const whole: unknown = { ...object, apiVersion: KWOK_API_VERSION, kind: this.#kind }
      return await startInTurns(this.#decode(whole as Json))
    } catch (error) {
      if (error instanceof KwokObjectError) return error
      throw error
    }
  }
}
