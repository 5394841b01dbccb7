import type { LabelSelector } from '../../api/meta/v1.types.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import { quote } from '../../lib/go-quote.ts'
import { isGivenEmpty } from '../../meta/empty-members.ts'
import { type Verbatim, verbatim, verbatimOf } from '../../meta/field-error.ts'

/**
 * Prints values as Go's %#v does. Upstream's messages show everything but strings, numbers and booleans in this form.
 */

/** An absent map prints as nil, an empty one as empty. */
const stringMap = (map: Readonly<Record<string, string>> | undefined): string =>
  map === undefined
    ? 'map[string]string(nil)'
    : `map[string]string{${Object.keys(map)
        .sort()
        .map(key => `${quote(key)}:${quote(map[key] ?? '')}`)
        .join(', ')}}`

const goSlice = (type: string, items: readonly string[] | undefined): string =>
  items === undefined ? `${type}(nil)` : `${type}{${items.join(', ')}}`

/** Prints `map[string]string{"a":"b"}` with sorted keys. */
export const goStringMap = (map: Readonly<Record<string, string>> | undefined): Verbatim =>
  verbatimOf(
    'map[string]string',
    map,
    () => stringMap(map),
    () => goJsonText(map ? sortedMap(map) : null),
  )

/** Prints a list of strings. `type` is its Go type, such as `[]string`. */
export const goStringList = (items: readonly string[] | undefined, type = '[]string'): Verbatim =>
  verbatimOf(
    type,
    items,
    () => goSlice(type, items?.map(quote)),
    () => goJsonText(items ?? null),
  )

/** Prints `v1.LabelSelector{…}`. Pointers print as nil or as an address, which errors omit. */
export const goLabelSelector = (selector: LabelSelector): Verbatim =>
  verbatimOf(
    'v1.LabelSelector',
    selector,
    () => goSelectorText(selector),
    () => goSelectorJson(selector),
  )

function goSelectorText(selector: LabelSelector): string {
  const { matchLabels, matchExpressions } = selector
  const expressions =
    matchExpressions?.map(requirement => {
      const values = requirement.values?.map(quote) ?? emptyList(requirement, 'values')
      return `v1.LabelSelectorRequirement{Key:${quote(requirement.key)}, Operator:${quote(requirement.operator)}, Values:${goSlice('[]string', values)}}`
    }) ?? emptyList(selector, 'matchExpressions')
  const labels = stringMap(matchLabels ?? (isGivenEmpty(selector, 'matchLabels') ? {} : undefined))
  return `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:${goSlice('[]v1.LabelSelectorRequirement', expressions)}}`
}

const goSelectorJson = ({ matchLabels, matchExpressions }: LabelSelector): string =>
  goJsonText({
    ...(matchLabels && Object.keys(matchLabels).length > 0 && { matchLabels: sortedMap(matchLabels) }),
    ...(matchExpressions &&
      matchExpressions.length > 0 && {
        matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
          key,
          operator,
          ...(values && values.length > 0 && { values }),
        })),
      }),
  })

/** Returns an empty list if the client sent one, or undefined for nil. */
const emptyList = (owner: object, name: string): readonly string[] | undefined => (isGivenEmpty(owner, name) ? [] : undefined)

const sortedMap = (map: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Prints a string type with a String method, which has no quotes before 1.34: `cpu`. */
export const goStringer = (text: string): Verbatim => verbatim(text, () => goJsonText(text))

/** Prints `intstr.IntOrString{…}`, since 1.34 the number or string alone. */
export const goIntOrStringValue = (value: number | string | undefined): Verbatim =>
  verbatim(goIntOrString(value), () => goJsonText(value ?? 0))

/** An absent value prints as the number 0. */
export const goIntOrString = (value: number | string | undefined): string =>
  typeof value === 'string'
    ? `intstr.IntOrString{Type:1, IntVal:0, StrVal:${quote(value)}}`
    : `intstr.IntOrString{Type:0, IntVal:${value ?? 0}, StrVal:""}`

/** Prints a pointer to a struct. Its address is arbitrary and therefore fixed. */
export const goPointer = (type: string, value: unknown): string => `(*${type})(${value === undefined ? 'nil' : '0xc000000000'})`
