import { parseType, splitTypes, type Type } from './type.ts'
import type { Value } from './values/value.ts'

/** One signature of a function. */
export interface Overload {
  /** Name of this signature, as cel-go has it: costs and implementations are found by it. */
  readonly id: string
  /** Called behind a dot: the first argument is what stands before it. */
  readonly member: boolean
  readonly args: readonly Type[]
  readonly result: Type
  /** Names of the parameters that occur in it. */
  readonly params: readonly string[]
}

/** A function with all its signatures, in the order in which they are tried. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** A field of a struct; `any` name gives a type where a struct's fields are not known. */
export interface StructDeclaration {
  readonly fieldType: (name: string) => Type | undefined
  /** That the name stands for; a struct of that name, if absent. */
  readonly type?: Type
  /** Makes a value of the fields that an expression gives; absent where none can be made. */
  readonly make?: (fields: ReadonlyMap<string, Value>) => Value
}

/** Names of the parameters in a type, each as often as it occurs. */
function paramsOf({ kind, name, params }: Type): string[] {
  return kind === 'param' ? [name] : params.flatMap(paramsOf)
}

/** Signatures `id: name(args) -> result`, or `id: .name(target, args) -> result` of a member, one a line. */
export function declare(text: string): FunctionDeclaration[] {
  const functions = new Map<string, Overload[]>()
  for (const line of text.trim().split('\n')) {
    const [, id, dot, name, args, result] = /^\s*(\S+): (\.?)(\S+?)\((.*)\) -> (.+)$/.exec(line) ?? []
    if (id === undefined || name === undefined || args === undefined || result === undefined) throw new Error(`no signature: ${line}`)
    const argTypes = splitTypes(args).map(parseType)
    const resultType = parseType(result)
    const overload = { id, member: dot === '.', args: argTypes, result: resultType, params: [...new Set([...argTypes, resultType].flatMap(paramsOf))] }
    const overloads = functions.get(name)
    if (overloads) overloads.push(overload)
    else functions.set(name, [overload])
  }
  return Array.from(functions, ([name, overloads]) => ({ name, overloads }))
}
