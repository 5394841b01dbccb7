import type { FunctionDeclaration, Overload } from '../declarations.ts'
import { FUNCTIONS } from '../functions/functions.ts'
import type { Implementation } from '../functions/implementation.ts'
import { noFunction, SINGLETONS } from '../functions/singletons.ts'
import { DYN, ERROR, type Type } from '../type.ts'
import { CelError, isError, typeNameOf, type Value } from '../values/value.ts'
import { isOfType, isStatic } from './signature.ts'

/** A function found for a call. */
export interface Found {
  readonly fn: Implementation
  /** Whether arguments behind an error are left alone: see CallForm. */
  readonly stops: boolean
}

/** A signature with what it stands for. */
interface Bound {
  readonly overload: Overload
  readonly fn: Implementation
}

/** Functions of two arguments or less that cel-go runs as it runs those of three. */
const STOPPING = new Set(['string_format'])
/** Functions that look at their arguments by themselves. */
const UNGUARDED = new Set(['contains_string', 'ends_with_string', 'starts_with_string', 'list_flatten', 'list_flatten_int'])

/** Undefined for a name that no such function has. */
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

/** Errors among the arguments come first. */
function refusal(name: string, args: readonly Value[]): CelError {
  return args.find(isError) ?? new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
}

/** Whether values are what a signature takes. */
const fits = ({ args: types }: Overload, args: readonly Value[]): boolean =>
  types.length === args.length && args.every((arg, i) => isOfType(arg, types[i] ?? ERROR))

/** @param ids of the signatures that fit by what is known when the expression is compiled. */
export function findFunction(declared: FunctionDeclaration, ids: readonly string[], argTypes: readonly Type[]): Found {
  const { name, overloads } = declared
  const own = singleton(name)
  const stops = argTypes.length > 2
  if (own) return { fn: own, stops }
  const bound = overloads.flatMap(overload => {
    const fn = FUNCTIONS.get(overload.id)
    return fn ? [{ overload, fn }] : []
  })
  const [only] = ids.length === 1 ? bound.filter(({ overload }) => overload.id === ids[0]) : bound.length === 1 ? bound : []
  if (only) return { fn: guarded(name, only, argTypes), stops: stops || STOPPING.has(only.overload.id) }
  const choose: Implementation = (...args) => (bound.find(({ overload }) => fits(overload, args))?.fn ?? (() => refusal(name, args)))(...args)
  return { fn: choose, stops: true }
}

/** What is known when the expression is compiled is not looked at again. */
function guarded(name: string, { overload, fn }: Bound, argTypes: readonly Type[]): Implementation {
  if (UNGUARDED.has(overload.id) || overload.args.every((type, i) => isGeneral(type) || isStatic(argTypes[i] ?? DYN))) return fn
  return (...args) => (fits(overload, args) ? fn(...args) : refusal(name, args))
}

/** Takes any value. */
const isGeneral = ({ kind }: Type): boolean => kind === 'param' || kind === 'dyn'
