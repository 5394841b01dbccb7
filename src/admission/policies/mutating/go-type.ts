import { TextList } from '../../../cel/values/list.ts'
import { CelDouble, CelDuration, CelList, CelMap, CelTimestamp, CelUint, typeNameOf, type Value } from '../../../cel/values/value.ts'

/** Go types by class. The first match wins, since some classes extend others. */
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

/** Go type (`%T`) of the value that cel-go would hold. Used in upstream's error messages. */
export const reflectType = (value: Value): string =>
  value === null ? 'structpb.NullValue' : (GO_TYPES.find(([type]) => value instanceof type)?.[1] ?? typeNameOf(value))
