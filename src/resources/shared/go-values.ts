import type { Json } from '../../api/meta/object.ts'
import { types, typesOf } from '../../catalog/types.ts'
import { invariant } from '../../lib/invariant.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { type Verbatim, verbatim } from '../../meta/field-error.ts'
import { goDifference } from '../../schema/go/go-diff.ts'
import { goJsonDifference } from '../../schema/go/go-json-diff.ts'
import { goSyntax } from '../../schema/go/go-print.ts'

/**
 * Prints a value of a declared type as upstream's messages do: `core.PodIP{IP:"::1"}`. `release` is that of the type,
 * by default the one in which kinds are defined.
 */
export const goValue = (type: string, value: Json | undefined, release?: Release): Verbatim =>
  goSyntax((release === undefined ? types : typesOf(release)).type(type), value)

/**
 * Prints a member of a declared type in the same form. It may be a list or a map:
 * `[]core.ResourceQuotaScope{"BestEffort"}`. A pointer prints as its target, and an absent one as "null".
 */
export function goMember(type: string, member: string, value: Json | undefined): Verbatim {
  const schema = types.type(type)
  const field = schema.fields.get(member)
  invariant(field, `no member ${member} of ${type}`)
  if (field.pointer && (value === undefined || value === null)) return verbatim('"null"', () => 'null')
  return goSyntax(schema, value, member)
}

/** Prints a quantity as Go prints the struct. */
export const goQuantityValue = (value: string): Verbatim => goMember('autoscalingv2.MetricTarget', 'value', value)

/** Returns a function that prints the member on first use: many errors may show the same value. */
export function goMemberOnce(type: string, member: string, value: Json | undefined): () => Verbatim {
  let text: Verbatim | undefined
  return () => {
    text ??= goMember(type, member, value)
    return text
  }
}

/**
 * Prints the differences between two values of a declared type, one per line: in the format of go-cmp, since 1.34 as a
 * diff of JSON.
 */
export const goChanges = (release: Release, type: string, old: Json, next: Json): string =>
  isSince(release, '1.34') ? goJsonDifference(typesOf(release).type(type), old, next) : goDifference(types.type(type), old, next)
