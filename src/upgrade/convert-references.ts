import { type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { DecodeError } from '../schema/decode.ts'
import { convertObject } from './convert-object.ts'
import { decisionsOf, withoutSuccessor } from './decisions.ts'
import { oldReferencesOf, type VersionReference } from './references.ts'
import type { ReleaseKinds } from './versions/release-kinds.ts'

/** Message about a reference, for the user. */
export interface ReferenceNote {
  readonly severity: 'info' | 'decision'
  readonly message: string
}

/** Result of converting the references of an object. */
export interface ConvertedReferences {
  /**
   * The object, with nested objects as their old versions decode them. It differs from `after` only in what conversion
   * changes.
   */
  readonly before: JsonObject
  /** `before` itself if nothing changes. */
  readonly after: JsonObject
  readonly notes: readonly ReferenceNote[]
}

/** Converts references of an object, and objects nested in it, to versions that the release serves. */
export function convertReferences(object: JsonObject, kinds: ReleaseKinds, path = ''): ConvertedReferences {
  const notes: ReferenceNote[] = []
  let [before, after] = [object, object]
  /** Path prefixes of nested objects, whose own references are not visited here. */
  const inner: string[] = []
  for (const reference of oldReferencesOf(object, kinds.release)) {
    if (inner.some(outer => reference.path.startsWith(outer))) continue
    if (reference.isObject) inner.push(`${reference.path}.`)
    const name = path === '' ? reference.path : `${path}.${reference.path}`
    const converted = convertReference(objectIn(reference.steps.reduce<Json>(stepInto, object)), reference, kinds, name)
    notes.push(...converted.notes)
    if (converted.before) before = objectIn(withMember(before, reference.steps, converted.before))
    if (converted.after) after = objectIn(withMember(after, reference.steps, converted.after))
  }
  return { before, after, notes }
}

interface ConvertedReference {
  /** Omitted if it equals the original. */
  readonly before?: JsonObject
  /** Omitted if nothing changes. */
  readonly after?: JsonObject
  readonly notes: readonly ReferenceNote[]
}

/**
 * A reference without a successor, or to an object that cannot be decoded, stays as it is and is a decision for its
 * owner. Nested objects are converted with their references.
 */
function convertReference(value: JsonObject, reference: VersionReference, kinds: ReleaseKinds, path: string): ConvertedReference {
  const decision = (message: string): ConvertedReference => ({ notes: [{ severity: 'decision', message: `${path}: ${message}` }] })
  const found = kinds.find(reference)
  const to = found && kinds.successorOf(found)
  if (found === undefined || to === undefined) return decision(`${withoutSuccessor(reference)} (${kinds.release} does not serve it)`)
  const apiVersion = apiVersionOfVersion(to)
  const note = { severity: 'info', message: `${path}: ${reference.apiVersion} becomes ${apiVersion}` } as const
  if (!reference.isObject)
    return { after: { ...value, ...(reference.isTarget ? parseApiVersion(apiVersion) : { apiVersion }) }, notes: [note] }
  try {
    const conversion = convertObject(kinds, found, value)
    if (conversion === undefined) return { notes: [] }
    const within = convertReferences(conversion.after, kinds, path)
    const decided = [
      ...[...conversion.unknown, ...conversion.lost].map(field => `${field}: ${apiVersion} has no such field`),
      ...decisionsOf(reference, value).map(({ path: field, message }) => `${field}: ${message}`),
    ]
    return {
      before: conversion.before,
      after: within.after,
      notes: [note, ...decided.map(message => ({ severity: 'decision', message: `${path}.${message}` }) as const), ...within.notes],
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return decision(`is no ${reference.apiVersion} ${reference.kind}, so it stays as it is: ${error.message}`)
  }
}

type PathKey = string | number

const stepInto = (value: Json, step: PathKey): Json => (Array.isArray(value) ? value[Number(step)] : objectIn(value)[step]) ?? null

/** Returns a copy with the value at a path replaced. */
function withMember(value: Json, [step, ...rest]: readonly PathKey[], member: Json): Json {
  if (step === undefined) return member
  const changed = withMember(stepInto(value, step), rest, member)
  return Array.isArray(value) ? value.with(Number(step), changed) : { ...objectIn(value), [step]: changed }
}
