import { equalValues } from './compare.ts'
import { StructValue } from './struct.ts'
import type { Comparing, Equality, Value } from './value.ts'

/** An `Object{…}` or part of one. It has no schema: any field can be read, and unset fields are null. */
export class PatchObject extends StructValue {
  override field(name: string): Value {
    return this.fields.get(name) ?? null
  }

  /** Always undefined: upstream looks up optional fields in a way that finds none in this type. */
  override fieldIfPresent(): undefined {
    return undefined
  }
}

/** Fields that are strings in Go, so that unset and empty ones are equal. */
const TEXTS = ['op', 'path', 'from'] as const

/** A `JSONPatch{…}` operation. Unset texts are empty, as in Go, and an empty text counts as unset. */
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

  /** Upstream's type has no zero value. */
  override get isZero(): boolean {
    return false
  }

  override equals(other: Value): Equality | Comparing<Equality> {
    if (!(other instanceof PatchOperation) || TEXTS.some(name => this.field(name) !== other.field(name))) return false
    const [mine, theirs] = [this.fields.get('value'), other.fields.get('value')]
    return mine === undefined || theirs === undefined ? mine === theirs : equalValues(mine, theirs)
  }
}
