import { formatDuration } from '../../lib/duration.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { spendConversions, spendWork } from '../work.ts'
import { timestampText } from './time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  type Value,
} from './value.ts'

/** Prints a value as Go's `%v` does in errors. */
export function printValue(value: Value): string {
  if (value === null) return '0'
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelList) return printList(value)
  if (value instanceof CelMap) return printMap(value)
  if (value instanceof CelOptional) return value.value === undefined ? 'optional.none()' : `optional(${printValue(value.value)})`
  if (value instanceof CelType) return value.name
  if (value instanceof CelDuration) return formatDuration(value.nanos)
  if (value instanceof CelTimestamp) return goTime(value)
  if (value instanceof CelError) return value.message
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`
  return value instanceof CelObject ? value.typeName : String(value)
}

/** Prints a timestamp as Go's time.Time.String. */
function goTime(value: CelTimestamp): string {
  const text = timestampText(value)
  const [, date, time, zone = 'Z'] = /^([^T]*)T([^Z+-]*)(Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  return zone === 'Z' ? `${date} ${time} +0000 UTC` : `${date} ${time} ${zone.replace(':', '')} ${zone.replace(':', '')}`
}

/**
 * Charges for the text of an element. A list can contain the same element many times, and each occurrence is printed.
 */
export function chargePrinted(text: string): string {
  spendConversions(1)
  spendWork(text.length)
  return text
}

function printList(list: CelList): string {
  const parts: string[] = []
  for (let i = 0; i < list.size; i++) parts.push(chargePrinted(printValue(list.at(i))))
  return `[${parts.join(', ')}]`
}

/** Prints a map in its own order, which is that of the document. */
function printMap(map: CelMap): string {
  return `{${Array.from(map.entries(), ([key, value]) => chargePrinted(`${printValue(key)}: ${printValue(value)}`)).join(', ')}}`
}
