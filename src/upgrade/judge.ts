import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { HookContext, ResourceDefinition } from '../catalog/definition.ts'
import { runAtOnce } from '../lib/steps.ts'
import { isSince } from '../lifecycle/release.ts'
import { clone } from '../meta/equal.ts'
import { type FieldError, fieldErrorText, inLaterWords } from '../meta/field-error.ts'
import { isJsonObject, type JsonObject, type KubeObject } from '../meta/object.ts'
import { convert } from '../registry/convert.ts'
import { decodeObject } from '../registry/decode-object.ts'
import { UNOBSERVED } from '../schema/declared-rules.ts'
import { DecodeError } from '../schema/decode.ts'
import type { FoundKind, ReleaseKinds } from './versions/release-kinds.ts'

/** What a server of a release would say of an object that is created. */
export interface Judgement {
  /** As read, with defaults; absent where it can't be read. */
  readonly object?: KubeObject
  /** Paths of members that the version does not have. */
  readonly unknown: readonly string[]
  /** What validation refuses. */
  readonly errors: readonly Refusal[]
  /** What the `Warning` headers say, beyond the deprecation of the version. */
  readonly warnings: readonly string[]
}

/** An error of validation. */
export interface Refusal {
  /** In the words of the release. */
  readonly text: string
  /** What kind of error it is, and of which field: the same in every release. */
  readonly about: string
}

/** Judges an object in the version that it says. Rules that other objects decide, and admission, are left out. */
export async function judge(kinds: ReleaseKinds, { definition, version }: FoundKind, value: JsonObject): Promise<Judgement> {
  const unknown: string[] = []
  try {
    const object = decodeObject(version, { ...value, apiVersion: apiVersionOfVersion(version), kind: version.kind }, path => unknown.push(path))
    const ctx = contextOf(kinds)
    const hub = convert(definition, clone(object), version, definition.hub)
    // The server has made one by the time that a strategy asks, as that of jobs does.
    if (isJsonObject(hub.metadata)) hub.metadata.uid ??= UID
    const strategy = version.strategy ?? definition.strategy ?? {}
    strategy.prepare?.(hub, undefined, ctx)
    return {
      object,
      unknown,
      errors: await errorsOf(strategy, hub, ctx, isSince(kinds.release, '1.34')),
      warnings: strategy.warnings?.(hub, undefined, ctx) ?? [],
    }
  } catch (error) {
    if (error instanceof DecodeError) return { unknown, errors: [{ text: error.message, about: error.message }], warnings: [] }
    throw error
  }
}

async function errorsOf(strategy: NonNullable<ResourceDefinition['strategy']>, hub: KubeObject, ctx: HookContext, laterWords: boolean): Promise<Refusal[]> {
  if (!isJsonObject(hub.metadata)) return []
  const found = strategy.validate?.(hub, undefined, ctx) ?? []
  const errors = Array.isArray(found) ? found : runAtOnce(found)
  const evaluated = (await strategy.evaluate?.(hub, undefined, ctx, errors).catch(ignoreNoAccess)) ?? []
  return [...errors, ...evaluated].map(error => ({ text: fieldErrorText(laterWords ? inLaterWords(error) : error), about: `${error.reason} ${error.field}` }))
}

const UID = '00000000-0000-4000-8000-000000000000'

const contextOf = ({ features }: ReleaseKinds): HookContext => ({ now: 0, subresource: '', features, access: noAccess, declared: UNOBSERVED })

/** A rule asks for another object. */
class NoAccess extends Error {}

/** Few rules do: whether a namespace allows the access of administrators to devices. They are not judged. */
function noAccess(): never {
  throw new NoAccess('no other objects are known here')
}

function ignoreNoAccess(error: unknown): FieldError[] {
  if (error instanceof NoAccess) return []
  throw error
}
