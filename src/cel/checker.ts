import type { Ast, CallExpr, ComprehensionExpr, Expr, ExprId, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.ts'
import type { FunctionDeclaration, Overload } from './declarations.ts'
import type { Environment } from './environment.ts'
import type { Issues } from './issues.ts'
import { LOGICAL_AND, LOGICAL_OR, OPTIONAL_SELECT } from './operators.ts'
import { messageOf } from './protobuf/messages.ts'
import { Knowledge, mostGeneral, substitute, substituteAll } from './substitution.ts'
import {
  BOOL,
  DYN,
  ERROR,
  heldBy,
  INT,
  isDyn,
  isDynOrError,
  listOf,
  mapOf,
  optionalOf,
  paramOf,
  printType,
  sameType,
  structOf,
  type Type,
  typeOf,
} from './type.ts'
import type { Int } from './values/value.ts'

/** What a name or a call was found to mean. */
export type Reference =
  | { readonly kind: 'name'; readonly name: string; readonly constant?: Int }
  | { readonly kind: 'overloads'; readonly name: string; readonly ids: readonly string[] }

/** A tree whose types fit. */
export interface Checked {
  readonly ast: Ast
  readonly types: ReadonlyMap<ExprId, Type>
  /** Of names and calls; a select that is part of a dotted name has one as well. */
  readonly references: ReadonlyMap<ExprId, Reference>
  readonly result: Type
}

/** The type of a node. */
export const typeOfNode = ({ types }: Pick<Checked, 'types'>, id: ExprId): Type => types.get(id) ?? DYN

/** Finds the types of all nodes. What does not fit is reported, in cel-go's words; the result counts only where nothing was. */
export function check(ast: Ast, environment: Environment, issues: Issues): Checked {
  const checker = new Checker(ast, environment, issues)
  return checker.run()
}

/** Variables of loops, from the innermost outward. */
interface Scope {
  readonly variables: ReadonlyMap<string, Type>
  readonly outer?: Scope
}

const LITERAL_TYPES: Readonly<Record<string, Type>> = Object.fromEntries(
  (['int', 'uint', 'double', 'string', 'bytes', 'bool'] as const).map(kind => [kind, { kind, name: kind, params: [] }]),
)
const NULL_TYPE: Type = { kind: 'null', name: 'null_type', params: [] }

/** A name with dots, where a tree of selects is one. */
function dottedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = dottedName(expr.operand)
  return operand === undefined ? undefined : `${operand}.${expr.field}`
}

/** Types that count as structs without fields, though none can be made. */
const FIELDLESS = new Set(['bool', 'bytes', 'double', 'int', 'list', 'null_type', 'string', 'uint'])

/** A leading dot asks for the outermost name, which all names are that belong to no loop. */
const plainName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name)

class Checker {
  readonly #ast: Ast
  readonly #environment: Environment
  readonly #issues: Issues
  readonly #types = new Map<ExprId, Type>()
  readonly #references = new Map<ExprId, Reference>()
  readonly #knowledge = new Knowledge()
  #scope: Scope = { variables: new Map() }
  #free = 0

  constructor(ast: Ast, environment: Environment, issues: Issues) {
    this.#ast = ast
    this.#environment = environment
    this.#issues = issues
  }

  run(): Checked {
    const root = this.#check(this.#ast.root)
    const types = new Map(Array.from(this.#types, ([id, type]) => [id, substituteAll(this.#knowledge.known, type)]))
    return { ast: this.#ast, types, references: this.#references, result: substituteAll(this.#knowledge.known, root) }
  }

  /** At the place of a node; nodes of macros stand where the macro did. */
  #report(id: ExprId, message: string): void {
    this.#issues.report(this.#issues.source.locationOf(this.#ast.offsets.get(id) ?? 0), message)
  }

  #undeclared(id: ExprId, name: string): Type {
    this.#report(id, `undeclared reference to '${name}' (in container '')`)
    return ERROR
  }

  #mismatch(id: ExprId, expected: Type, actual: Type): void {
    this.#report(id, `expected type '${printType(expected)}' but found '${printType(actual)}'`)
  }

  /** Also records what the types show of parameters, if they fit. */
  #fits(wanted: readonly Type[], given: readonly Type[]): boolean {
    return this.#knowledge.assign(wanted, given)
  }

  /** A type that is still unknown: of the elements of an empty list, of a parameter of a signature. */
  #freeParam(): Type {
    return paramOf(`_var${this.#free++}`)
  }

  #check(expr: Expr): Type {
    const type = this.#typeOf(expr)
    this.#types.set(expr.id, type)
    return type
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return LITERAL_TYPES[expr.literal.type] ?? NULL_TYPE
      case 'ident':
        return this.#name(expr.id, expr.name) ?? this.#undeclared(expr.id, expr.name)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return this.#struct(expr)
      case 'comprehension':
        return this.#loop(expr)
      case 'unspecified':
        return ERROR
    }
  }

  /** The type of what a name means, if it means something. */
  #name(id: ExprId, written: string): Type | undefined {
    const name = plainName(written)
    const type = this.#lookUp(name)
    if (type) {
      this.#references.set(id, { kind: 'name', name })
      return type
    }
    const constant = this.#environment.constants.get(name)
    if (constant === undefined) return undefined
    this.#references.set(id, { kind: 'name', name, constant })
    return INT
  }

  /** Variables of loops hide all others; variables hide structs, and structs types. */
  #lookUp(name: string): Type | undefined {
    for (let scope: Scope | undefined = this.#scope; scope; scope = scope.outer) {
      const type = scope.variables.get(name)
      if (type) return type
    }
    const { variables, types, struct } = this.#environment
    const variable = variables.get(name)
    if (variable) return variable
    const declared = struct(name)
    return declared ? typeOf(declared.type ?? structOf(name)) : types.get(name)
  }

  /** A row of selects may be one name: `google.protobuf.Timestamp`, or a variable with a dot. */
  #select(expr: SelectExpr): Type {
    const name = dottedName(expr)
    const meant = name === undefined ? undefined : this.#name(expr.id, name)
    if (meant) return meant
    const type = this.#field(expr.id, expr.operand, expr.field, false)
    return expr.testOnly ? BOOL : substitute(this.#knowledge.known, type)
  }

  /** A field of an optional is an optional, whether it was asked for with `?` or not. */
  #field(id: ExprId, operand: Expr, field: string, optional: boolean): Type {
    const operandType = substitute(this.#knowledge.known, this.#check(operand))
    const held = heldBy(operandType)
    const type = this.#fieldOf(id, held ?? operandType, field)
    return held || optional ? optionalOf(type) : type
  }

  #fieldOf(id: ExprId, target: Type, field: string): Type {
    if (target.kind === 'map') return target.params[1]
    if (target.kind === 'struct') return this.#structField(id, target.name, field) ?? ERROR
    if (target.kind === 'param') this.#fits([DYN], [target])
    else if (!isDynOrError(target)) this.#report(id, `type '${printType(target)}' does not support field selection`)
    return DYN
  }

  #structField(id: ExprId, name: string, field: string): Type | undefined {
    // A map, though it cannot be made by that name, counts as having every field.
    if (name === 'map') return DYN
    const struct = this.#environment.struct(name)
    if (!struct && !FIELDLESS.has(name)) {
      this.#report(id, `unexpected failed resolution of '${name}'`)
      return undefined
    }
    const type = struct?.fieldType(field)
    if (!type) this.#report(id, `undefined field '${field}'`)
    return type
  }

  #optionalSelect({ id, args }: CallExpr): Type {
    const [operand, field] = args
    if (!operand || field?.kind !== 'literal' || field.literal.type !== 'string') {
      this.#report(field?.id ?? id, 'unsupported optional field selection')
      return ERROR
    }
    const type = this.#field(id, operand, field.literal.value, true)
    this.#references.set(id, { kind: 'overloads', name: OPTIONAL_SELECT, ids: ['select_optional_field'] })
    return substitute(this.#knowledge.known, type)
  }

  /** A function of a name with dots (`sets.contains`) comes before a member of that name. */
  #call(expr: CallExpr): Type {
    if (expr.name === OPTIONAL_SELECT) return this.#optionalSelect(expr)
    const args = expr.args.map(arg => this.#check(arg))
    if (!expr.target) {
      const declared = this.#environment.functions.get(plainName(expr.name))
      return declared ? this.#resolve(expr, declared, args) : this.#undeclared(expr.id, expr.name)
    }
    const prefix = dottedName(expr.target)
    const spaced = prefix === undefined ? undefined : this.#environment.functions.get(plainName(`${prefix}.${expr.name}`))
    if (spaced) return this.#resolve(expr, spaced, args)
    const target = this.#check(expr.target)
    const declared = this.#environment.functions.get(expr.name)
    return declared ? this.#resolve(expr, declared, [target, ...args], true) : this.#undeclared(expr.id, expr.name)
  }

  /** Every signature that fits counts: with results that differ, the result is dyn. */
  #resolve(expr: CallExpr, { name, overloads }: FunctionDeclaration, args: readonly Type[], member = false): Type {
    if (name === LOGICAL_AND || name === LOGICAL_OR) return this.#logic(expr, name, overloads, args)
    const ids: string[] = []
    let result: Type | undefined
    for (const overload of overloads) {
      if (overload.member !== member) continue
      const { wanted, given } = this.#instance(overload)
      if (!this.#fits(args, wanted)) continue
      ids.push(overload.id)
      const type = substitute(this.#knowledge.known, given)
      if (!result) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = DYN
    }
    if (!result) {
      const printed = args.map(arg => printType(substituteAll(this.#knowledge.known, arg)))
      const applied = member ? `${printed[0]}.(${printed.slice(1).join(', ')})` : `(${printed.join(', ')})`
      this.#report(expr.id, `found no matching overload for '${name}' applied to '${applied}'`)
      return ERROR
    }
    this.#references.set(expr.id, { kind: 'overloads', name, ids })
    return result
  }

  /** Both sides have to be bool, and each that is not is reported. */
  #logic(expr: CallExpr, name: string, overloads: readonly Overload[], args: readonly Type[]): Type {
    const wrong = args.flatMap((arg, i) => (this.#fits([arg], [BOOL]) ? [] : [{ arg, id: expr.args[i]?.id ?? expr.id }]))
    for (const { arg, id } of wrong) this.#mismatch(id, BOOL, arg)
    if (wrong.length > 0) return ERROR
    this.#references.set(expr.id, { kind: 'overloads', name, ids: overloads.slice(0, 1).map(({ id }) => id) })
    return BOOL
  }

  /** A signature with parameters of its own. */
  #instance({ args, result, params }: Overload): { wanted: readonly Type[]; given: Type } {
    if (params.length === 0) return { wanted: args, given: result }
    const fresh = new Map(params.map(param => [param, this.#freeParam()]))
    return { wanted: args.map(arg => substitute(fresh, arg)), given: substitute(fresh, result) }
  }

  /** Of a value written with `?`: what its optional holds. */
  #optionalValue(value: Expr, type: Type): Type {
    const held = heldBy(type)
    if (!held && !isDyn(type)) this.#mismatch(value.id, optionalOf(type), type)
    return held ?? type
  }

  /** What differs makes a list or map of dyn: that literals are of one type is checked elsewhere. */
  #join(previous: Type | undefined, current: Type): Type {
    if (!previous) return current
    return this.#fits([previous], [current]) ? mostGeneral(previous, current) : DYN
  }

  #list({ elements, optionals }: ListExpr): Type {
    let joined: Type | undefined
    for (const [i, element] of elements.entries()) {
      const type = this.#check(element)
      joined = this.#join(joined, optionals.has(i) ? this.#optionalValue(element, type) : type)
    }
    return listOf(joined ?? this.#freeParam())
  }

  #map({ entries }: MapExpr): Type {
    let keys: Type | undefined
    let values: Type | undefined
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.#check(key))
      const type = this.#check(value)
      values = this.#join(values, optional ? this.#optionalValue(value, type) : type)
    }
    return mapOf(keys ?? this.#freeParam(), values ?? this.#freeParam())
  }

  /** A message, or a struct of the environment: each field has to have its type. */
  #struct({ id, typeName, fields }: StructExpr): Type {
    const meant = this.#name(id, typeName)
    if (!meant) return this.#undeclared(id, typeName)
    const { type, name = plainName(typeName) } = this.#structType(id, meant)
    for (const field of fields) {
      const given = this.#check(field.value)
      const wanted = this.#structField(field.id, name, field.name) ?? ERROR
      const value = field.optional ? this.#optionalValue(field.value, given) : given
      if (this.#fits([wanted], [value])) continue
      this.#report(field.id, `expected type of field '${field.name}' is '${printType(wanted)}' but provided type is '${printType(value)}'`)
    }
    return type
  }

  /** With the name of the struct whose fields it has. */
  #structType(id: ExprId, meant: Type): { readonly type: Type; readonly name?: string } {
    const type = meant.kind === 'type' ? meant.params[0] : undefined
    if (type?.kind === 'struct') return { type, name: type.name }
    const name = type && messageOf(type)
    if (type && name !== undefined) return { type, name }
    if (meant.kind !== 'error') this.#report(id, type ? `'${type.name}' is not a message type` : `'${meant.name}' is not a type`)
    return { type: ERROR }
  }

  /** What macros become: the step has the type that the accumulator begins with. */
  #loop(expr: ComprehensionExpr): Type {
    this.#check(expr.range)
    const accumulated = this.#check(expr.init)
    const range = substitute(this.#knowledge.known, this.#types.get(expr.range.id) ?? DYN)
    const outer = this.#scope
    const around: Scope = { variables: new Map([[expr.accumulator, accumulated]]), outer }
    const variables = this.#loopVariables(expr, range)
    this.#scope = { variables, outer: around }
    this.#expect(expr.condition, BOOL)
    this.#expect(expr.step, accumulated)
    this.#scope = around
    const result = this.#check(expr.result)
    this.#scope = outer
    return substitute(this.#knowledge.known, result)
  }

  #expect(expr: Expr, wanted: Type): void {
    const type = this.#check(expr)
    if (!this.#fits([wanted], [type])) this.#mismatch(expr.id, wanted, type)
  }

  #loopVariables({ variable, variable2, range: expr }: ComprehensionExpr, range: Type): Map<string, Type> {
    const [one, two] = this.#loopTypes(expr, range, variable2 !== undefined)
    return new Map(
      variable2 === undefined
        ? [[variable, one]]
        : [
            [variable, one],
            [variable2, two],
          ],
    )
  }

  #loopTypes(expr: Expr, range: Type, both: boolean): readonly [Type, Type] {
    if (range.kind === 'list') return both ? [INT, range.params[0]] : [range.params[0], DYN]
    if (range.kind === 'map') return [range.params[0], range.params[1]]
    if (isDynOrError(range) || range.kind === 'param') {
      this.#fits([DYN], [range])
      return [DYN, DYN]
    }
    this.#report(expr.id, `expression of type '${printType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`)
    return [ERROR, ERROR]
  }
}
