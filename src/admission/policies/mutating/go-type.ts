import { TextList } from '../../../cel/values/list.ts'
import { CelDouble, CelDuration, CelList, CelMap, CelTimestamp, CelUint, typeNameOf, type Value } from '../../../cel/values/value.ts'

/** The first that a value is an instance of counts. */
const GO_TYPES = [
  [CelUint, 'uint64'],
  [CelDouble, 'float64'],
  [Uint8Array, '[]uint8'],
  [CelTimestamp, 'time.Time'],
  [CelDuration, 'time.Duration'],
  [TextList, '[]string'],
  [CelList, '[]ref.Val'],
  [CelMap, 'map[ref.Val]ref.Val'],
] as const

/** Go's type of what cel-go holds in a value that JSON has no plain form of: `%T`, as upstream's messages have it. */
export const goTypeOf = (value: Value): string =>
  value === null ? 'structpb.NullValue' : (GO_TYPES.find(([type]) => value instanceof type)?.[1] ?? typeNameOf(value))
