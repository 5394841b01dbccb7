import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../meta/object.ts'
import { CelObject, type Value } from '../values/value.ts'

/** A value of which a schema says nothing but that it is kept. */
export class PreservedValue extends CelObject {
  readonly typeName = 'unknown'
  readonly json: Json

  constructor(json: Json) {
    super()
    this.json = json
  }

  /** Whole documents are compared: nothing says which of their parts count. */
  equals(other: Value): boolean {
    return isDeepStrictEqual(this.json, other instanceof PreservedValue ? other.json : other)
  }
}
