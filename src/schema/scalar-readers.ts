import type { Json } from '../api/meta/object.ts'
import { formatDuration, parseDuration } from '../lib/duration.ts'
import { canonicalQuantity } from '../meta/quantity.ts'
import { isCanonicalBase64 } from './base64.ts'
import { MISFIT } from './decoding.ts'
import { fitsInteger, sortedJson } from './members.ts'
import type { ScalarSchema } from './schema.ts'
import { normalMicroTime, normalTime } from './time.ts'

/** Reads a value without members. It neither uses nor changes the state of a call of `decode`. */
type ScalarReader = (value: Json) => Json

/** Null is zero, as an absent value is in Go. Minus zero becomes zero: JSON text would otherwise say `-0`. */
function integerReader(schema: ScalarSchema): ScalarReader {
  if (schema.goType === 'int32')
    return value => {
      if (typeof value === 'number' && (value | 0) === value) return value === 0 ? 0 : value
      if (value === null) return 0
      throw MISFIT
    }
  return value => {
    if ((typeof value === 'number' || typeof value === 'bigint') && fitsInteger(value, schema.goType)) return value === 0 ? 0 : value
    if (value === null) return 0
    throw MISFIT
  }
}

function quantity(value: Json): string {
  if (value === null) return '0'
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') throw MISFIT
  try {
    return canonicalQuantity(value)
  } catch {
    throw MISFIT
  }
}

/**
 * Creates the reader of a special form of text. `zero`: value of null. `canonical` returns undefined for an invalid
 * text.
 */
const special =
  (zero: Json, canonical: (text: string) => string | null | undefined): ScalarReader =>
  value => {
    if (value === null) return zero
    if (typeof value !== 'string') throw MISFIT
    const text = canonical(value)
    if (text === undefined) throw MISFIT
    return text
  }

const readTime = special(null, normalTime)
const readMicroTime = special(null, normalMicroTime)
const readDuration = special('0s', normalDuration)

function normalDuration(text: string): string | undefined {
  try {
    return formatDuration(parseDuration(text))
  } catch {
    return undefined
  }
}

function bytes(value: Json): Json {
  if (value === null) return ''
  if (typeof value === 'string') {
    if (isCanonicalBase64(value)) return value
    const stripped = value.replace(/[\r\n]/g, '')
    // Bits beyond the last byte are dropped.
    if (isCanonicalBase64(stripped, true)) return Buffer.from(stripped, 'base64').toString('base64')
  } else if (Array.isArray(value)) return Buffer.from(value.map(byteOf)).toString('base64')
  throw MISFIT
}

/** Reads an item of a list of numbers, which Go accepts for bytes as well. Null is 0. */
function byteOf(value: Json): number {
  if (value === null) return 0
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) return value
  throw MISFIT
}

/** Returns the reader of a scalar. */
export function scalarReader(schema: ScalarSchema): ScalarReader {
  switch (schema.type) {
    case 'string':
      return value => {
        if (typeof value === 'string') return value
        if (value === null) return ''
        throw MISFIT
      }
    case 'boolean':
      return value => {
        if (typeof value === 'boolean') return value
        if (value === null) return false
        throw MISFIT
      }
    case 'integer':
      return integerReader(schema)
    case 'number':
      return value => {
        if (typeof value === 'number') return value
        if (typeof value === 'bigint') return Number(value)
        if (value === null) return 0
        throw MISFIT
      }
    case 'intOrString':
      return value => {
        if (typeof value === 'string') return value
        if (typeof value === 'number' && (value | 0) === value) return value === 0 ? 0 : value
        if (value === null) return 0
        throw MISFIT
      }
    case 'quantity':
      return quantity
    case 'bytes':
      return bytes
    case 'raw':
      return value => value
    case 'json':
      return sortedJson
    case 'time':
      return readTime
    case 'microTime':
      return readMicroTime
    case 'duration':
      return readDuration
  }
}
