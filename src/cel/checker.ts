import type { Steps } from '../lib/steps.ts'
import type { Ast, CallExpr, ComprehensionExpr, Expr, ExprId, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.ts'
import { type Checked, type CheckedReference, literalType } from './checked.ts'
import type { FunctionDeclaration, Overload } from './declarations.ts'
import type { Environment } from './environment.ts'
import type { Issues } from './issues.ts'
import { dottedName, plainName } from './names.ts'
import { NodeTable } from './node-table.ts'
import { LOGICAL_AND, LOGICAL_OR, OPTIONAL_SELECT } from './operators.ts'
import { messageOfType } from './protobuf/messages.ts'
import { NO_LOCATION } from './source.ts'
import { Knowledge, MOST_PARTS, mostGeneral, TypesTooLarge } from './substitution.ts'
import {
  BOOL,
  DYN,
  ERROR,
  heldBy,
  INT,
  isDyn,
  isDynOrError,
  listTypeOf,
  mapOf,
  optionalOf,
  printType,
  sameType,
  structOf,
  type Type,
  typeTypeOf,
} from './type.ts'

/**
 * Infers the types of all nodes. Type errors are reported with cel-go's messages; the result is valid only if nothing
 * was reported.
 */
export const checkTypes = (ast: Ast, environment: Environment, issues: Issues): Steps<Checked> =>
  new Checker(ast, environment, issues).run()

/** Variables of the loops around a node, from the innermost outward. */
interface TypeScope {
  readonly variables: ReadonlyMap<string, Type>
  readonly outer?: TypeScope
}

/** Types that resolve as structs without fields. They cannot be constructed. */
const FIELDLESS = new Set(['bool', 'bytes', 'double', 'int', 'list', 'null_type', 'string', 'uint'])

class Checker {
  readonly #ast: Ast
  readonly #environment: Environment
  readonly #issues: Issues
  readonly #types = new NodeTable<Type>()
  readonly #references = new NodeTable<CheckedReference>()
  readonly #knowledge = new Knowledge()
  #scope: TypeScope = { variables: new Map() }

  constructor(ast: Ast, environment: Environment, issues: Issues) {
    this.#ast = ast
    this.#environment = environment
    this.#issues = issues
  }

  *run(): Steps<Checked> {
    let result: Type = ERROR
    try {
      const root = yield* this.#check(this.#ast.root)
      yield* this.#closeTypes()
      result = this.#knowledge.closed(root)
    } catch (error) {
      if (!(error instanceof TypesTooLarge)) throw error
      this.#issues.report(NO_LOCATION, `type size limit exceeded: ${MOST_PARTS}`)
    }
    return { ast: this.#ast, types: this.#types, references: this.#references, result }
  }

  /**
   * Replaces the inferred type of each node by its final type. Nodes that share a type object still share one
   * afterwards.
   */
  *#closeTypes(): Steps<void> {
    const closed = new Map<Type, Type>()
    for (let id = 0; id < this.#types.end; id++) {
      const type = this.#types.get(id)
      if (!type?.isOpen) continue
      const known = closed.get(type) ?? this.#knowledge.closed(type)
      closed.set(type, known)
      this.#types.set(id, known)
      if (this.#knowledge.isStepDone()) yield
    }
  }

  /** Reports an error at the position of a node. Nodes that a macro generated have the position of the macro call. */
  #report(id: ExprId, message: string | (() => string)): void {
    this.#issues.report(this.#issues.source.locationOf(this.#ast.offsets.get(id) ?? 0), message)
  }

  #undeclared(id: ExprId, name: string): Type {
    this.#report(id, `undeclared reference to '${name}' (in container '')`)
    return ERROR
  }

  #mismatch(id: ExprId, expected: Type, actual: Type): void {
    this.#report(id, () => `expected type '${printType(expected)}' but found '${printType(actual)}'`)
  }

  /**
   * Reports whether the given types are assignable to the wanted ones. If they are, the type parameters that follow
   * from it are bound.
   */
  #fits(wanted: readonly Type[], given: readonly Type[]): boolean {
    return this.#knowledge.assign(wanted, given)
  }

  *#check(expr: Expr): Steps<Type> {
    if (this.#knowledge.isStepDone()) yield
    const type = yield* this.#typeOf(expr)
    if (type.parts > MOST_PARTS) throw new TypesTooLarge()
    this.#types.set(expr.id, type)
    return type
  }

  /** An error is reported once, at the part that has it: the type of that part is ERROR, which fits everywhere. */
  *#typeOf(expr: Expr): Steps<Type> {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.literal)
      case 'ident':
        return this.#name(expr.id, expr.name) ?? this.#undeclared(expr.id, expr.name)
      case 'select':
        return yield* this.#select(expr)
      case 'call':
        return yield* this.#call(expr)
      case 'list':
        return yield* this.#list(expr)
      case 'map':
        return yield* this.#map(expr)
      case 'struct':
        return yield* this.#struct(expr)
      case 'comprehension':
        return yield* this.#loop(expr)
      case 'unspecified':
        return ERROR
    }
  }

  /** Returns the type of a name. Undefined if the name is not declared. */
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

  /** Looks up a name. Loop variables hide all other names, variables hide structs, and structs hide types. */
  #lookUp(name: string): Type | undefined {
    for (let scope: TypeScope | undefined = this.#scope; scope; scope = scope.outer) {
      const type = scope.variables.get(name)
      if (type) return type
    }
    const { variables, types, struct } = this.#environment
    const variable = variables.get(name)
    if (variable) return variable
    const declared = struct(name)
    return declared ? typeTypeOf(declared.type ?? structOf(name)) : types.get(name)
  }

  /**
   * Resolves a dotted name first, such as `google.protobuf.Timestamp` or a variable with a dot, and selects a field
   * otherwise.
   */
  *#select(expr: SelectExpr): Steps<Type> {
    const name = dottedName(expr)
    const meant = name === undefined ? undefined : this.#name(expr.id, name)
    if (meant) return meant
    const type = yield* this.#field(expr.id, expr.operand, expr.field, false)
    return expr.testOnly ? BOOL : this.#knowledge.known(type)
  }

  /** Returns the type of a field. Selecting from an optional gives an optional, with or without `?`. */
  *#field(id: ExprId, operand: Expr, field: string, optional: boolean): Steps<Type> {
    const operandType = this.#knowledge.known(yield* this.#check(operand))
    const held = heldBy(operandType)
    const type = this.#fieldOf(id, held ?? operandType, field)
    return held || optional ? optionalOf(type) : type
  }

  #fieldOf(id: ExprId, target: Type, field: string): Type {
    if (target.kind === 'map') return target.params[1]
    if (target.kind === 'struct') return this.#structField(id, target.name, field) ?? ERROR
    if (target.kind === 'param') this.#fits([DYN], [target])
    else if (!isDynOrError(target)) this.#report(id, () => `type '${printType(target)}' does not support field selection`)
    return DYN
  }

  #structField(id: ExprId, name: string, field: string): Type | undefined {
    // The name `map` has every field, as in cel-go, although no such struct can be constructed.
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

  *#optionalSelect({ id, args }: CallExpr): Steps<Type> {
    const [operand, field] = args
    if (!operand || field?.kind !== 'literal' || field.literal.type !== 'string') {
      this.#report(field?.id ?? id, 'unsupported optional field selection')
      return ERROR
    }
    const type = yield* this.#field(id, operand, field.literal.value, true)
    this.#references.set(id, { kind: 'overloads', name: OPTIONAL_SELECT, ids: ['select_optional_field'] })
    return this.#knowledge.known(type)
  }

  /** Resolves a qualified function name such as `sets.contains` before a member function of the same name. */
  *#call(expr: CallExpr): Steps<Type> {
    if (expr.name === OPTIONAL_SELECT) return yield* this.#optionalSelect(expr)
    const args: Type[] = []
    for (const arg of expr.args) args.push(yield* this.#check(arg))
    if (!expr.target) {
      const declared = this.#environment.functions.get(plainName(expr.name))
      return declared ? this.#resolve(expr, declared, args) : this.#undeclared(expr.id, expr.name)
    }
    const prefix = dottedName(expr.target)
    const spaced = prefix === undefined ? undefined : this.#environment.functions.get(plainName(`${prefix}.${expr.name}`))
    if (spaced) return this.#resolve(expr, spaced, args)
    const target = yield* this.#check(expr.target)
    const declared = this.#environment.functions.get(expr.name)
    return declared ? this.#resolve(expr, declared, [target, ...args], true) : this.#undeclared(expr.id, expr.name)
  }

  /** Collects all overloads that fit the arguments. The result is dyn if their result types differ. */
  #resolve(expr: CallExpr, { name, overloads }: FunctionDeclaration, args: readonly Type[], member = false): Type {
    if (name === LOGICAL_AND || name === LOGICAL_OR) return this.#logic(expr, name, overloads, args)
    const ids: string[] = []
    let result: Type | undefined
    for (const overload of overloads) {
      if (overload.member !== member) continue
      const { wanted, given } = this.#knowledge.instance(overload)
      if (!this.#fits(args, wanted)) continue
      ids.push(overload.id)
      const type = this.#knowledge.known(given)
      if (!result) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = DYN
    }
    if (!result) {
      this.#report(expr.id, () => {
        const printed = args.map(arg => printType(this.#knowledge.closed(arg)))
        const applied = member ? `${printed[0]}.(${printed.slice(1).join(', ')})` : `(${printed.join(', ')})`
        return `found no matching overload for '${name}' applied to '${applied}'`
      })
      return ERROR
    }
    this.#references.set(expr.id, { kind: 'overloads', name, ids })
    return result
  }

  /** Checks that both operands are bool, and reports each one that is not. */
  #logic(expr: CallExpr, name: string, overloads: readonly Overload[], args: readonly Type[]): Type {
    const wrong = args.flatMap((arg, i) => (this.#fits([arg], [BOOL]) ? [] : [{ arg, id: expr.args[i]?.id ?? expr.id }]))
    for (const { arg, id } of wrong) this.#mismatch(id, BOOL, arg)
    if (wrong.length > 0) return ERROR
    this.#references.set(expr.id, { kind: 'overloads', name, ids: overloads.slice(0, 1).map(({ id }) => id) })
    return BOOL
  }

  /** Returns the type of the value inside an optional that is written with `?`. */
  #optionalValue(value: Expr, type: Type): Type {
    const held = heldBy(type)
    if (!held && !isDyn(type)) this.#mismatch(value.id, optionalOf(type), type)
    return held ?? type
  }

  /**
   * Returns the common type of two elements, or dyn if they differ. Mixed literals are reported separately
   * (literal-checks.ts).
   */
  #join(previous: Type | undefined, current: Type): Type {
    if (!previous) return current
    return this.#fits([previous], [current]) ? mostGeneral(previous, current) : DYN
  }

  *#list({ elements, optionals }: ListExpr): Steps<Type> {
    let joined: Type | undefined
    for (const [i, element] of elements.entries()) {
      const type = yield* this.#check(element)
      joined = this.#join(joined, optionals.has(i) ? this.#optionalValue(element, type) : type)
    }
    return listTypeOf(joined ?? this.#knowledge.freshParam())
  }

  *#map({ entries }: MapExpr): Steps<Type> {
    let keys: Type | undefined
    let values: Type | undefined
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, yield* this.#check(key))
      const type = yield* this.#check(value)
      values = this.#join(values, optional ? this.#optionalValue(value, type) : type)
    }
    return mapOf(keys ?? this.#knowledge.freshParam(), values ?? this.#knowledge.freshParam())
  }

  /** Checks the fields of a message literal, or of a struct that the environment declares. */
  *#struct({ id, typeName, fields }: StructExpr): Steps<Type> {
    const meant = this.#name(id, typeName)
    if (!meant) return this.#undeclared(id, typeName)
    const { type, name = plainName(typeName) } = this.#structType(id, meant)
    for (const field of fields) {
      const given = yield* this.#check(field.value)
      const wanted = this.#structField(field.id, name, field.name) ?? ERROR
      const value = field.optional ? this.#optionalValue(field.value, given) : given
      if (this.#fits([wanted], [value])) continue
      this.#report(
        field.id,
        () => `expected type of field '${field.name}' is '${printType(wanted)}' but provided type is '${printType(value)}'`,
      )
    }
    return type
  }

  /** Returns the type of a struct literal, and the name under which its fields are declared. */
  #structType(id: ExprId, meant: Type): { readonly type: Type; readonly name?: string } {
    const type = meant.kind === 'type' ? meant.params[0] : undefined
    if (type?.kind === 'struct') return { type, name: type.name }
    const name = type && messageOfType(type)
    if (type && name !== undefined) return { type, name }
    if (meant.kind !== 'error') this.#report(id, type ? `'${type.name}' is not a message type` : `'${meant.name}' is not a type`)
    return { type: ERROR }
  }

  /** Checks an expanded macro. The type of `step` must be that of the accumulator's initial value. */
  *#loop(expr: ComprehensionExpr): Steps<Type> {
    yield* this.#check(expr.range)
    const accumulated = yield* this.#check(expr.init)
    const range = this.#knowledge.known(this.#types.get(expr.range.id) ?? DYN)
    const outer = this.#scope
    const around: TypeScope = { variables: new Map([[expr.accumulator, accumulated]]), outer }
    const variables = this.#loopVariables(expr, range)
    this.#scope = { variables, outer: around }
    yield* this.#expect(expr.condition, BOOL)
    yield* this.#expect(expr.step, accumulated)
    this.#scope = around
    const result = yield* this.#check(expr.result)
    this.#scope = outer
    return this.#knowledge.known(result)
  }

  *#expect(expr: Expr, wanted: Type): Steps<void> {
    const type = yield* this.#check(expr)
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
    this.#report(
      expr.id,
      () => `expression of type '${printType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    )
    return [ERROR, ERROR]
  }
}
