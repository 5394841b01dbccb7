import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../src/api/meta/object.ts'
import type { ChangeAnswer } from './server.ts'

/** Members whose values differ from server to server. */
const OWN = new Set([
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'resourceVersion',
  'time',
  'continue',
  'remainingItemCount',
  'columnDefinitions',
  'cells',
])

/** A response as it can be compared with that of another server. */
export function comparable({ status, body }: ChangeAnswer, skipped: (name: string) => boolean): JsonObject {
  const items = Array.isArray(body.items) ? body.items.filter(item => !skipped(String(objectIn(objectIn(item).metadata).name))) : undefined
  const rows = Array.isArray(body.rows)
    ? body.rows.filter(row => !skipped(String(objectIn(objectIn(objectIn(row).object).metadata).name)))
    : undefined
  const shown = objectIn(normalised({ ...body, ...(items && { items }), ...(rows && { rows }) }))
  return { status, body: severalCauses(shown) ? { ...shown, message: 'several causes' } : shown }
}

function normalised(value: Json, name = ''): Json {
  if (Array.isArray(value)) {
    const list = value.map(item => normalised(item))
    return name === 'causes' || name === 'managedFields' ? list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list
  }
  if (!isJsonObject(value))
    return typeof value === 'string'
      ? value
          .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
          .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
          .replace(/\S+: field not declared/, 'FIELD: field not declared')
      : value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, OWN.has(key) ? 'OWN' : normalised(value[key] ?? null, key)]),
  )
}

/** Upstream validates members in random order. */
const severalCauses = ({ details }: JsonObject): boolean => {
  const { causes } = objectIn(details)
  return Array.isArray(causes) && causes.length > 1
}

/** Where two values differ first, and how; undefined if they are the same. */
export function firstDifference(got: Json | undefined, want: Json | undefined, path = ''): string | undefined {
  if (typeof got === 'object' && got !== null && typeof want === 'object' && want !== null) {
    const keys = new Set([...Object.keys(want), ...Object.keys(got)])
    for (const key of keys) {
      const difference = firstDifference(memberOf(got, key), memberOf(want, key), `${path}.${key}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return got === want ? undefined : `${path}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`
}

const memberOf = (value: JsonObject | Json[], key: string): Json | undefined => (Array.isArray(value) ? value[Number(key)] : value[key])
