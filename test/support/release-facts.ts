import type { FactField, Message, Messages } from './declared-fields.ts'
import { referenceJson } from './reference.ts'
import { isIn } from './release-ranges.ts'

/** Values before and after, or added and removed items of a list. Null if absent. */
type Change = { readonly rel: string } & Readonly<
  Record<string, readonly [before: unknown, after: unknown] | { readonly add?: readonly string[]; readonly del?: readonly string[] }>
>

/** A message or field with the releases that have it, and those that say something else of it. */
interface History {
  /** Releases that have it; absent: all. */
  readonly in?: string
  /** Whose values are given; absent: the base. */
  readonly asOf?: string
  readonly changes?: readonly Change[]
}

interface Facts {
  readonly base: string
  readonly messages: Readonly<Record<string, Message & History & { readonly fields?: readonly (FactField & History)[] }>>
}

const minorOf = (release: string): number => Number(release.slice(2))

/** The attributes as they are after a change, or were before it. */
function changed(attributes: Record<string, unknown>, { rel: _, ...change }: Change, forwards: boolean): Record<string, unknown> {
  const next = { ...attributes }
  for (const [name, what] of Object.entries(change)) {
    if (Array.isArray(what)) {
      const value = what[forwards ? 1 : 0]
      if (value === null) delete next[name]
      else next[name] = value
    } else if (typeof what === 'object') {
      const { add = [], del = [] } = what as { add?: string[]; del?: string[] }
      const [came, went] = forwards ? [add, del] : [del, add]
      next[name] = [...((next[name] as string[] | undefined) ?? []).filter(value => !went.includes(value)), ...came]
    }
  }
  return next
}

/** Returns the facts of a release, given the number of 1.x. */
function inRelease<T extends History>(
  { in: _, asOf, changes = [], ...attributes }: T,
  minor: number,
  base: string,
): Omit<T, keyof History> {
  const from = minorOf(asOf ?? base)
  const between = changes.filter(
    ({ rel }) => minorOf(rel) > from === minor > from && minorOf(rel) > Math.min(from, minor) && minorOf(rel) <= Math.max(from, minor),
  )
  const walked = minor > from ? between : [...between].reverse()
  return walked.reduce<Record<string, unknown>>((all, change) => changed(all, change, minor > from), attributes) as Omit<T, keyof History>
}

/** The messages that release 1.x has, with their fields as it has them. */
export function messagesOf(minor: number): Messages {
  const { base, messages } = referenceJson('releases/fields.json') as Facts
  const has = (history: History): boolean => history.in === undefined || isIn(history.in, minor)
  return Object.fromEntries(
    Object.entries(messages)
      .filter(([, message]) => has(message))
      .map(([name, message]) => [
        name,
        {
          ...inRelease(message, minor, base),
          fields: (message.fields ?? [])
            .filter(has)
            .map(field => inRelease({ ...field, asOf: field.asOf ?? message.asOf ?? base }, minor, base)),
        },
      ]),
  )
}
