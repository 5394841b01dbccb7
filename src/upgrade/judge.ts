import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { HookContext } from '../catalog/strategy.ts'
import { resultAtOnce, runAtOnce } from '../lib/steps.ts'
import { wordingOf } from '../lifecycle/release.ts'
import { clone } from '../meta/equal.ts'
import { type FieldError, fieldErrorText, worded } from '../meta/field-error.ts'
import type { Wording } from '../meta/wording.ts'
import { convert } from '../registry/conversion/convert.ts'
import { decodeObject } from '../registry/decode-object.ts'
import { fieldsTurnedOff } from '../registry/disabled-fields.ts'
import { UNOBSERVED } from '../schema/declared-rules.ts'
import { DecodeError } from '../schema/decode.ts'
import { dropGatedFields } from '../schema/gated-fields.ts'
import type { ReleaseKinds, ServedKind } from './versions/release-kinds.ts'

/** Result of creating an object in a server of a release, without storing it. */
export interface Judgement {
  /** Optional. The decoded object with defaults. Unset if it cannot be decoded. */
  readonly object?: KubeObject
  /** Paths of members that the version does not have. */
  readonly unknown: readonly string[]
  /** Paths of members that the release drops because their feature gate is off, in the hub version. */
  readonly dropped: readonly string[]
  /** Errors of validation. */
  readonly errors: readonly Refusal[]
  /** Texts of `Warning` headers, except for the deprecation of the version. */
  readonly warnings: readonly string[]
}

/** A validation error. */
export interface Refusal {
  /** Message in the words of the release. */
  readonly text: string
  /** Reason and field of the error, which do not depend on the release. */
  readonly about: string
}

/** Validates an object in its own version. Rules that depend on other objects, and admission, are skipped. */
export async function judge(kinds: ReleaseKinds, { definition, version }: ServedKind, value: JsonObject): Promise<Judgement> {
  const unknown: string[] = []
  try {
    const object = decodeObject(version, { ...value, apiVersion: apiVersionOfVersion(version), kind: version.kind }, path =>
      unknown.push(path),
    )
    const ctx = contextOf(kinds)
    const hub = convert(definition, clone(object), version, definition.hub)
    // The server has assigned a UID before the strategy runs. That of jobs uses it.
    if (isJsonObject(hub.metadata)) hub.metadata.uid ??= UID
    const strategy = version.strategy ?? definition.strategy ?? {}
    const written = clone(hub)
    runAtOnce(dropGatedFields(fieldsTurnedOff(kinds.features, definition.hub.schema), hub, undefined))
    const rest = strategy.prepare?.(hub, undefined, ctx)
    if (rest) runAtOnce(rest)
    return {
      object: withCreationDefaults(object, hub),
      unknown,
      dropped: removedPaths(written, hub, ''),
      errors: await errorsOf(strategy, hub, ctx, wordingOf(kinds.release)),
      warnings: resultAtOnce(strategy.warnings?.(hub, undefined, ctx) ?? []),
    }
  } catch (error) {
    if (error instanceof DecodeError) return { unknown, dropped: [], errors: [{ text: error.message, about: error.message }], warnings: [] }
    throw error
  }
}

async function errorsOf(
  strategy: NonNullable<ResourceDefinition['strategy']>,
  hub: KubeObject,
  ctx: HookContext,
  wording: Wording,
): Promise<Refusal[]> {
  if (!isJsonObject(hub.metadata)) return []
  const found = strategy.validate?.(hub, undefined, ctx) ?? []
  const errors = resultAtOnce(found)
  const evaluated = (await strategy.evaluate?.(hub, undefined, ctx, errors).catch(ignoreNoAccess)) ?? []
  return [...errors, ...evaluated].flatMap(error => {
    const told = worded(error, wording)
    return told ? [{ text: fieldErrorText(told), about: `${error.reason} ${error.field}` }] : []
  })
}

/**
 * Adds defaults that are set when the object is created instead of when it is decoded: those of pod-level resources,
 * since 1.37.
 */
function withCreationDefaults(object: KubeObject, { kind, spec }: KubeObject): KubeObject {
  if (kind !== 'Pod' || !isJsonObject(spec) || !isJsonObject(object.spec) || spec.resources === undefined) return object
  return { ...object, spec: { ...object.spec, resources: spec.resources } }
}

/**
 * Returns the paths of members that an object has no more. Metadata and status, which the server writes, are left out.
 */
function removedPaths(before: JsonObject, after: JsonObject, path: string): string[] {
  return Object.entries(before).flatMap(([name, value]) => {
    if (path === '' && (name === 'metadata' || name === 'status')) return []
    const at = path === '' ? name : `${path}.${name}`
    const left = after[name]
    if (left === undefined || left === null) return isNothing(value) ? [] : [at]
    if (isJsonObject(value) && isJsonObject(left)) return removedPaths(value, left, at)
    if (!Array.isArray(value) || !Array.isArray(left) || value.length !== left.length) return []
    return value.flatMap((item, i) => {
      const other = left[i]
      return isJsonObject(item) && isJsonObject(other) ? removedPaths(item, other, `${at}[${i}]`) : []
    })
  })
}

/** Reports whether a value is empty. Such values are written depending on the encoding. */
export const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.values(value).every(isNothing))

const UID = '00000000-0000-4000-8000-000000000000'

const contextOf = ({ features }: ReleaseKinds): HookContext => ({
  now: 0,
  subresource: '',
  features,
  access: noAccess,
  declared: UNOBSERVED,
})

/** Thrown if a rule reads another object. */
class NoAccess extends Error {}

/**
 * Rejects access to other objects. A few rules need it, such as whether the namespace allows admin access to devices;
 * they are skipped.
 */
function noAccess(): never {
  throw new NoAccess('other objects cannot be read here')
}

function ignoreNoAccess(error: unknown): FieldError[] {
  if (error instanceof NoAccess) return []
  throw error
}
