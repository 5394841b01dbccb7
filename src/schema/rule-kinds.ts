import { deepEqual, propertyOf } from '../meta/equal.ts'
import {
  type Detail,
  duplicate,
  type FieldError,
  forbidden,
  immutableError,
  invalid,
  notSupported,
  required,
  tooLongError,
  tooMany,
} from '../meta/field-error.ts'
import { inBytes, isDns1123Label, isDns1123Subdomain, isDns1123SubdomainOfAnyCase, isQualifiedName } from '../meta/names.ts'
import type { DeclaredRule, Schema } from './schema.ts'

/** Kinds of rules in declarations. Source: pkg/api/validate in k8s.io/apimachinery. */

const withOrigin = (origin: string, errors: readonly FieldError[]): FieldError[] => errors.map(error => ({ ...error, origin }))

/**
 * Rejects values below the minimum. Absent values count as Go's zero. `gate`: another minimum while this feature gate
 * is on.
 */
export const minimum = (least: number, gate?: { readonly name: string; readonly least: number }): DeclaredRule => ({
  origin: 'minimum',
  check(value = 0, path, _before, isOn) {
    const bound = gate && isOn(gate.name) ? gate.least : least
    return Number(value) < bound ? withOrigin('minimum', [invalid(path, value, `must be greater than or equal to ${bound}`)]) : []
  },
})

/** Rejects absent, zero and empty values. */
const present: DeclaredRule = {
  origin: '',
  endsTheField: true,
  check: (value, path) => (isUnset(value) ? [required(path)] : []),
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)

const fixed: DeclaredRule = {
  origin: 'immutable',
  endsTheField: true,
  check: (value, path, before) => (before ? withOrigin('immutable', [immutableError(path, value)]) : []),
}

/** Rejects a longer list, without checking its items. */
const maxItems = (most: number): DeclaredRule => ({
  origin: 'maxItems',
  endsTheField: true,
  check: (value, path) => (Array.isArray(value) && value.length > most ? withOrigin('maxItems', [tooMany(path, value.length, most)]) : []),
})

/** Checks of formats by name. They return the errors of a text. */
const FORMATS: Readonly<Record<string, (text: string) => readonly Detail[]>> = {
  'k8s-short-name': text => isDns1123Label(text).map(inBytes),
  'k8s-long-name': text => isDns1123Subdomain(text).map(inBytes),
  'k8s-long-name-caseless': text => isDns1123SubdomainOfAnyCase(text).map(inBytes),
  'k8s-label-key': isQualifiedName,
}

/**
 * Undefined for a format that has no check here. Values other than texts are valid, because decoding has rejected them.
 */
function format(name: string): DeclaredRule | undefined {
  const faultsOf = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (!faultsOf) return undefined
  const origin = `format=${name}`
  const check: DeclaredRule['check'] = (value, path) =>
    typeof value === 'string'
      ? withOrigin(
          origin,
          faultsOf(value).map(text => invalid(path, value, text)),
        )
      : []
  return { origin, check }
}

/** Rejects texts of more characters. */
const maxLength = (most: number): DeclaredRule => ({
  origin: 'maxLength',
  check: (value, path) =>
    typeof value === 'string' && [...value].length > most ? withOrigin('maxLength', [tooLongError(path, most)]) : [],
})

/** Rejects texts that are not one of the values. */
const knownValues = (values: readonly string[]): DeclaredRule => ({
  origin: '',
  check: (value, path) => (typeof value === 'string' && !values.includes(value) ? [notSupported(path, value, values)] : []),
})

/** Rejects repeated list elements, compared by these members or as a whole. */
function unique(members: readonly string[]): DeclaredRule {
  const keyOf = (element: unknown): string =>
    JSON.stringify(members.length > 0 ? members.map(member => propertyOf(element, member) ?? null) : element)
  return {
    origin: '',
    ofElements: true,
    check(list, path) {
      const seen = new Set<string>()
      return (Array.isArray(list) ? list : []).flatMap((element, i) => {
        const isAgain = seen.has(keyOf(element))
        seen.add(keyOf(element))
        return isAgain ? [duplicate(path.index(i), element)] : []
      })
    },
  }
}

/** Rejects lists that have more than one of these types of elements. @param path of the list, as errors show it */
function exclusive(path: string, types: readonly string[]): DeclaredRule {
  const names = types.map(type => `${path}[{"type": "${type}"}]`)
  return {
    origin: 'zeroOrOneOf',
    check(value, at, before) {
      const given = typesOf(value)
      const found = names.filter((_, i) => given.has(types[i]))
      if (found.length < 2) return []
      const were = before && typesOf(before.value)
      if (were && types.every(type => were.has(type) === given.has(type))) return []
      return withOrigin('zeroOrOneOf', [
        invalid(at, `{${found.join(', ')}}`, `must specify at most one of: ${names.map(name => `\`${name}\``).join(', ')}`),
      ])
    },
  }
}

const typesOf = (list: unknown): ReadonlySet<unknown> =>
  new Set(Array.isArray(list) ? list.map(element => propertyOf(element, 'type')) : [])

/**
 * Ties a member to one value of another member: with that value it may be set (`only`) or must be set (`needs`), with
 * any other it must not be set.
 */
const goesWith = (
  field: string,
  { mark, other, value }: { readonly mark: string; readonly other: string; readonly value: string },
): DeclaredRule => ({
  origin: '',
  ofStruct: true,
  check(struct, path, before) {
    const member = propertyOf(struct, field)
    const isSame = (name: string): boolean => before !== undefined && deepEqual(propertyOf(struct, name), propertyOf(before.value, name))
    if (isSame(other) && isSame(field)) return []
    if (propertyOf(struct, other) !== value) return member === undefined ? [] : [forbidden(path, '')]
    return mark === 'needs' && member === undefined ? [required(path)] : []
  },
})

const PLAIN: Readonly<Record<string, DeclaredRule>> = { present, fixed }
const MINIMUM = /^minimum\((?<least>-?\d+)(?:,(?<gate>\w+):(?<gated>-?\d+))?\)$/
const UNIQUE = /^unique(?:\((?<members>\w+(?:,\w+)*)\))?$/
const GOES_WITH = /^(?<mark>needs|only)\((?<other>\w+):(?<value>\w+)\)$/
const FORMAT = /^format\(([\w-]+)\)$/
const MAX_LENGTH = /^maxlength\((\d+)\)$/
const MAX_ITEMS = /^maxitems\((\d+)\)$/
const EXCLUSIVE = /^exclusive\((?:(?<shown>\w+):)?(?<types>\w+(?:,\w+)+)\)$/

/**
 * Parses the rules among the marks of a field: `present`, `fixed`, `format(k8s-short-name)`, `minimum(0)`,
 * `minimum(1,Gate:0)`, `maxlength(63)`, `known` (values of its type), `unique`, `unique(name)`, `only(type:A)`,
 * `needs(type:A)`, `maxitems(8)`, `exclusive(Approved,Denied)`, and `exclusive(Conditions:Approved,Denied)` if errors
 * show the field by that name. Returns undefined if there are none.
 */
export function ruleMarks(field: string, marks: readonly string[], schema: Schema): readonly DeclaredRule[] | undefined {
  const rules = marks.flatMap(mark => {
    const { least, gate, gated } = MINIMUM.exec(mark)?.groups ?? {}
    if (least !== undefined) return [minimum(Number(least), gate === undefined ? undefined : { name: gate, least: Number(gated) })]
    const keys = UNIQUE.exec(mark)
    if (keys) return [unique(keys.groups?.members?.split(',') ?? [])]
    const { mark: how, other, value } = GOES_WITH.exec(mark)?.groups ?? {}
    if (how !== undefined && other !== undefined && value !== undefined) return [goesWith(field, { mark: how, other, value })]
    if (mark === 'known') return [knownValues(schema.type === 'string' ? (schema.enum ?? []) : [])]
    const most = MAX_ITEMS.exec(mark)?.[1]
    if (most !== undefined) return [maxItems(Number(most))]
    const longest = MAX_LENGTH.exec(mark)?.[1]
    if (longest !== undefined) return [maxLength(Number(longest))]
    const formatRule = format(FORMAT.exec(mark)?.[1] ?? '')
    if (formatRule) return [formatRule]
    const { shown = field, types } = EXCLUSIVE.exec(mark)?.groups ?? {}
    if (types !== undefined) return [exclusive(shown, types.split(','))]
    const plain = Object.hasOwn(PLAIN, mark) ? PLAIN[mark] : undefined
    return plain ? [plain] : []
  })
  return rules.length > 0 ? rules : undefined
}
