import { equalValues } from './compare.ts'
import { StructValue } from './struct.ts'
import type { CelError, Value } from './value.ts'

/** `Object{…}` or a part of it: without a schema any field may be asked for, and one that was not given is null. */
export class PatchObject extends StructValue {
  override field(name: string): Value {
    return this.fields.get(name) ?? null
  }

  /** Upstream looks for fields in a form that such a struct does not have, and finds none. */
  override fieldIfPresent(): undefined {
    return undefined
  }
}

const TEXTS = ['op', 'path', 'from'] as const

/** `JSONPatch{…}`, an operation: texts that are not given are empty, as in Go, and an empty one counts as not given. */
export class PatchOperation extends StructValue {
  constructor(fields: ReadonlyMap<string, Value>) {
    super('JSONPatch', fields)
  }

  override field(name: string): Value {
    return this.fields.get(name) ?? (name === 'value' ? null : '')
  }

  override isSet(name: string): boolean {
    return name === 'value' ? this.fields.has(name) : this.field(name) !== ''
  }

  override fieldIfPresent(name: string): Value | undefined {
    return this.isSet(name) ? this.field(name) : undefined
  }

  /** Upstream's operation knows no zero value. */
  override get isZero(): boolean {
    return false
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof PatchOperation) || TEXTS.some(name => this.field(name) !== other.field(name))) return false
    const [mine, theirs] = [this.fields.get('value'), other.fields.get('value')]
    return mine === undefined || theirs === undefined ? mine === theirs : equalValues(mine, theirs)
  }
}
