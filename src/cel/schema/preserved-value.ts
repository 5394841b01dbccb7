import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../api/meta/object.ts'
import { CelObject, type Value } from '../values/value.ts'

/** A value whose schema states only that it is preserved. */
export class PreservedValue extends CelObject {
  readonly typeName = 'unknown'
  readonly json: Json

  constructor(json: Json) {
    super()
    this.json = json
  }

  /** Compares whole documents, because the schema does not describe their parts. */
  equals(other: Value): boolean {
    return isDeepStrictEqual(this.json, other instanceof PreservedValue ? other.json : other)
  }
}
