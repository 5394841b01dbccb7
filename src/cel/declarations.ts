import { parseType, splitTypes, type Type } from './type.ts'
import type { Value } from './values/value.ts'

/** One signature of a function. */
export interface Overload {
  /** Identifier of the signature in cel-go. Costs and implementations are looked up by it. */
  readonly id: string
  /** Whether it is called as `target.name(args)`. The target is then the first argument. */
  readonly member: boolean
  readonly args: readonly Type[]
  readonly result: Type
  /** Names of the type parameters in the signature. */
  readonly params: readonly string[]
}

/** A function with its signatures, in the order in which they are tried. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** A struct type. If its fields are not declared, `fieldType` returns a type for every name. */
export interface StructDeclaration {
  readonly fieldType: (name: string) => Type | undefined
  /** Optional. Type that the name denotes. Default: a struct of that name. */
  readonly type?: Type
  /** Optional. Constructs a value from the fields of a struct literal. Omitted if the type cannot be constructed. */
  readonly make?: (fields: ReadonlyMap<string, Value>) => Value
}

/** Returns the names of the type parameters in a type, with repetitions. */
function paramsOf({ kind, name, params }: Type): string[] {
  return kind === 'param' ? [name] : params.flatMap(paramsOf)
}

/**
 * Parses declarations, one per line: `id: name(args) -> result` for a function, `id: .name(target, args) -> result` for
 * a member function.
 */
export function parseDeclarations(text: string): FunctionDeclaration[] {
  const functions = new Map<string, Overload[]>()
  for (const line of text.trim().split('\n')) {
    const [, id, dot, name, args, result] = /^\s*(\S+): (\.?)(\S+?)\((.*)\) -> (.+)$/.exec(line) ?? []
    if (id === undefined || name === undefined || args === undefined || result === undefined) throw new Error(`no signature: ${line}`)
    const argTypes = splitTypes(args).map(parseType)
    const resultType = parseType(result)
    const overload = {
      id,
      member: dot === '.',
      args: argTypes,
      result: resultType,
      params: [...new Set([...argTypes, resultType].flatMap(paramsOf))],
    }
    const overloads = functions.get(name)
    if (overloads) overloads.push(overload)
    else functions.set(name, [overload])
  }
  return Array.from(functions, ([name, overloads]) => ({ name, overloads }))
}
