import { apiVersionOfVersion } from '../catalog/catalog.ts'
import { DecodeError } from '../schema/decode.ts'
import { convertObject } from '../upgrade/convert-object.ts'
import type { ReleaseKinds } from '../upgrade/versions/release-kinds.ts'
import { culpritOf } from './findings/culprit.ts'
import { objectFinding } from './findings/finding.ts'
import type { InputObject } from './input/input-object.ts'
import type { CheckFinding } from './types.ts'

/** An object in the version that replaces a removed one, and findings about its conversion. */
export interface Successor {
  /** Undefined if the object cannot be converted. */
  readonly object: InputObject | undefined
  readonly findings: readonly CheckFinding[]
}

/**
 * Converts an object in a removed version to the version that the release serves, as `binnacle convert` does. Its
 * findings have the positions of the original.
 */
export function successorOf(kinds: ReleaseKinds, object: InputObject): Successor {
  const found = kinds.find(object)
  if (found === undefined) return { object: undefined, findings: [] }
  try {
    const { apiVersion, kind } = object
    const conversion = convertObject(kinds, found, { ...object.value, apiVersion, kind })
    if (conversion === undefined) return { object: undefined, findings: [] }
    const to = apiVersionOfVersion(conversion.to)
    const value = { ...conversion.after, apiVersion: to, kind: conversion.to.kind }
    const successor: InputObject = { ...object, apiVersion: to, kind: conversion.to.kind, value, convertedFrom: object.apiVersion }
    const lost = conversion.lost.map(field =>
      objectFinding(successor, 'dropped-value', 'warning', `${field} has no counterpart in ${to}`, { field }),
    )
    return { object: successor, findings: lost }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const at = culpritOf(object, found.version, new Set())
    return {
      object: undefined,
      findings: [objectFinding(object, 'wrong-type', 'error', error.message, { ...(at && { at, field: at.path }) })],
    }
  }
}
