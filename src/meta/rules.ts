import type { Unlisted } from '../api/meta/object.ts'
import { appendErrors, type FieldError, forbidden, required } from './field-error.ts'
import { type FieldPath, fieldPath } from './field-path.ts'

/**
 * Returns the errors of one value. `old` is its previous value: undefined on create, and if it was absent. Any function
 * that takes a value and its path is a rule. Validation is a list of rules, whose errors are reported in the order of
 * the list, which is upstream's:
 *
 *     export const validateBook = rules<Book, HookContext>()(
 *       field('spec', field('title', mandatory('')), field('pages', validateNonNegative), onUpdate(field('isbn', isUnchanged))),
 *     )
 *
 * The compiler checks names of members and the types of their rules.
 */
export type Rule<V, C = unknown> = Check<V, V | undefined, C>

type Check<V, O, C> = (value: V, path: FieldPath, old: O, context: C) => readonly FieldError[]

const NONE: readonly FieldError[] = []
const ROOT = fieldPath()

/** Applies several rules to a value. */
export const all = <V, C = unknown>(...rules: readonly Rule<V, C>[]): Rule<V, C> => inOrder<V, V | undefined, C>(rules)

/** Returns the only rule itself, and a shared empty list if there are no errors: most objects have none. */
function inOrder<V, O, C>(rules: readonly Check<V, O, C>[]): Check<V, O, C> {
  const [only, ...more] = rules
  if (only && more.length === 0) return only
  return (value, path, old, context) => {
    let found: FieldError[] | undefined
    for (const rule of rules) {
      const errors = rule(value, path, old, context)
      if (errors.length > 0) found = appendErrors(found ?? [], errors)
    }
    return found ?? NONE
  }
}

/** Applies rules to a member. */
export function field<S extends object, const K extends keyof S & string, C>(
  name: K,
  ...rules: readonly Rule<S[K], NoInfer<C>>[]
): Rule<S, C> {
  const rule = all(...rules)
  const pathIn = lastChild(name)
  return (holder, path, old, context) => rule(holder[name], pathIn(path), old?.[name], context)
}

/** Returns the path of a member in a parent. The last path is kept, because most parents are the same in every call. */
function lastChild(name: string): (parent: FieldPath) => FieldPath {
  let last = ROOT
  let child = ROOT.child(name)
  return parent => {
    if (parent === last) return child
    last = parent
    child = parent.child(name)
    return child
  }
}

/** Applies a rule to several members. */
export const fields = <S extends object, const K extends keyof S & string, C>(
  names: readonly K[],
  rule: Rule<S[K], NoInfer<C>>,
): Rule<S, C> => all(...names.map(name => field<S, K, C>(name, rule)))

/** Applies rules to a value if it is set. */
export function given<V, C>(...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V | null | undefined, C> {
  const rule = all(...rules)
  return (value, path, old, context) => (value === undefined || value === null ? NONE : rule(value, path, old ?? undefined, context))
}

/** Requires a value, and applies rules to it. */
export function mandatory<V, C>(detail: string, ...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V | null | undefined, C> {
  const rule = all(...rules)
  return (value, path, old, context) =>
    value === undefined || value === null ? [required(path, detail)] : rule(value, path, old ?? undefined, context)
}

/** Forbids a value. */
export const excluded =
  (detail: string): Rule<unknown> =>
  (value, path) =>
    value === undefined || value === null ? NONE : [forbidden(path, detail)]

/** Applies rules on create. Only for the object itself and structs that are always present. */
export function onCreate<V, C>(...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V, C> {
  const rule = all(...rules)
  return (value, path, old, context) => (old === undefined ? rule(value, path, old, context) : NONE)
}

/** Applies rules in updates. Only for the object itself and structs that are always present. */
export function onUpdate<V, C>(...rules: readonly Check<NoInfer<V>, NoInfer<V>, NoInfer<C>>[]): Rule<V, C> {
  const rule = inOrder<V, V, C>(rules)
  return (value, path, old, context) => (old === undefined ? NONE : rule(value, path, old, context))
}

/**
 * Applies the rule of the case that a member names. `unknown` returns the errors for any other value, given the values
 * of the cases in their order. The compiler requires a case for each declared value.
 */
export function union<S extends object, const K extends keyof S & string, C>(
  member: K,
  cases: Readonly<Record<Exclude<S[K] & string, Unlisted | ''>, Rule<S, C>>>,
  unknown: (holder: S, path: FieldPath, known: readonly string[]) => readonly FieldError[],
): Rule<S, C> {
  const byValue = new Map<unknown, Rule<S, C>>(Object.entries(cases))
  const known = Object.keys(cases)
  return (holder, path, old, context) => {
    const rule = byValue.get(holder[member])
    return rule ? rule(holder, path, old, context) : unknown(holder, path, known)
  }
}

/** Accepts any value. */
export const anything: Rule<unknown> = () => NONE

/** Returns the validation of a kind. `H` is the kind's type, `C` the context that its rules need. */
export const rules =
  <H extends object, C = unknown>() =>
  (...list: readonly Rule<H, C>[]) => {
    const rule = all(...list)
    return (next: H, old: H | undefined, context: C): FieldError[] => [...rule(next, ROOT, old, context)]
  }
