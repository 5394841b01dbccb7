import type { FunctionDeclaration, Overload } from '../declarations.ts'
import { FUNCTIONS } from '../functions/functions.ts'
import type { Implementation } from '../functions/implementation.ts'
import { noFunction, SINGLETONS } from '../functions/singletons.ts'
import { DYN, ERROR, type Type } from '../type.ts'
import { CelError, CelList, CelMap, isError, typeNameOf, type Value } from '../values/value.ts'

/** Implementation that a call resolves to. */
export interface ResolvedCall {
  readonly fn: Implementation
  /** Whether arguments after an error are not evaluated (see CallForm). */
  readonly stops: boolean
}

/** A signature with its implementation. */
interface Bound {
  readonly overload: Overload
  readonly fn: Implementation
}

/** Functions of one or two arguments that cel-go evaluates like functions of three. */
const STOPPING = new Set(['string_format'])
/** Functions that check the types of their arguments themselves. */
const UNGUARDED = new Set(['contains_string', 'ends_with_string', 'starts_with_string', 'list_flatten', 'list_flatten_int'])

/** Returns the function that dispatches on its arguments. Undefined if the name has none. */
function singleton(name: string): Implementation | undefined {
  const fn = Object.hasOwn(SINGLETONS, name) ? SINGLETONS[name] : undefined
  return (
    fn &&
    ((a, b) => {
      const result = fn(a, b)
      return result === undefined ? noFunction(name, a) : result
    })
  )
}

/** Returns the first error among the arguments, or the error for unsupported types. */
function refusal(name: string, args: readonly Value[]): CelError {
  return args.find(isError) ?? new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
}

/** Whether values match a signature. */
const fits = ({ args: types }: Overload, args: readonly Value[]): boolean =>
  types.length === args.length && args.every((arg, i) => isOfType(arg, types[i] ?? ERROR))

/**
 * Resolves a call.
 * @param ids signatures that match the types known at compile time.
 * @param others implementations of the environment.
 */
export function findFunction(
  declared: FunctionDeclaration,
  ids: readonly string[],
  argTypes: readonly Type[],
  others?: ReadonlyMap<string, Implementation>,
): ResolvedCall {
  const { name, overloads } = declared
  const own = singleton(name)
  const stops = argTypes.length > 2
  if (own) return { fn: own, stops }
  const bound = overloads.flatMap(overload => {
    const fn = others?.get(overload.id) ?? FUNCTIONS.get(overload.id)
    return fn ? [{ overload, fn }] : []
  })
  const [only] = ids.length === 1 ? bound.filter(({ overload }) => overload.id === ids[0]) : bound.length === 1 ? bound : []
  if (only) return { fn: guarded(name, only, argTypes), stops: stops || STOPPING.has(only.overload.id) }
  const choose: Implementation = (...args) =>
    (bound.find(({ overload }) => fits(overload, args))?.fn ?? (() => refusal(name, args)))(...args)
  return { fn: choose, stops: true }
}

/** Adds a run-time check of the arguments, unless the compile-time types make it unnecessary. */
function guarded(name: string, { overload, fn }: Bound, argTypes: readonly Type[]): Implementation {
  if (UNGUARDED.has(overload.id) || overload.args.every((type, i) => isGeneral(type) || isStatic(argTypes[i] ?? DYN))) return fn
  return (...args) => (fits(overload, args) ? fn(...args) : refusal(name, args))
}

/** Whether the type accepts any value. */
const isGeneral = ({ kind }: Type): boolean => kind === 'param' || kind === 'dyn'

/**
 * Reports whether a value matches a type of a signature at run time. Only the first element of a list or map is
 * checked, as in cel-go.
 */
function isOfType(value: Value, type: Type): boolean {
  const { kind, name, params } = type
  if (kind === 'dyn' || kind === 'any' || kind === 'param') return true
  if (typeNameOf(value) !== name) return false
  if (value instanceof CelList) return kind !== 'list' || value.size === 0 || isOfType(value.at(0), params[0])
  if (!(value instanceof CelMap) || kind !== 'map') return true
  for (const [key, first] of value.entries()) return isOfType(key, params[0]) && isOfType(first, params[1])
  return true
}

/** Whether the type is completely known at compile time, so that no run-time check is necessary. */
const isStatic = ({ kind, params }: Type): boolean =>
  kind !== 'dyn' && kind !== 'any' && kind !== 'param' && kind !== 'error' && params.every(isStatic)
