import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  isInt,
  type Value,
} from './value.ts'

/** Returns the Go type of a value, which some errors print. */
export function celGoType(value: Value): string {
  if (value === null) return 'types.Null'
  if (typeof value === 'boolean') return 'types.Bool'
  if (typeof value === 'string') return 'types.String'
  if (isInt(value)) return 'types.Int'
  const boxed = [
    [CelUint, 'types.Uint'],
    [CelDouble, 'types.Double'],
    [Uint8Array, 'types.Bytes'],
    [CelTimestamp, 'types.Timestamp'],
    [CelDuration, 'types.Duration'],
    [CelOptional, '*types.Optional'],
    [CelType, '*types.Type'],
    [CelList, '*types.baseList'],
    [CelMap, '*types.baseMap'],
  ] as const
  return (
    boxed.find(([type]) => value instanceof type)?.[1] ??
    (value instanceof CelObject ? `cel.${value.typeName.split('.').at(-1)}` : 'types.Val')
  )
}
