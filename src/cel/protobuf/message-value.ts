import { StructValue } from '../values/struct.ts'
import type { Value } from '../values/value.ts'

/** A message of protobuf that is a value of its own. */
export class MessageValue extends StructValue {
  /** Whatever is no such message differs from it. */
  override equals(other: Value): ReturnType<StructValue['equals']> {
    return other instanceof MessageValue && other.typeName === this.typeName && super.equals(other)
  }

  override isSet(name: string): boolean {
    return this.fields.has(name)
  }

  override get isZero(): boolean {
    return this.fields.size === 0
  }
}
