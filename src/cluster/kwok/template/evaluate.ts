import { errorMessage } from '../../../lib/error-message.ts'
import { FunctionError, type TemplateError } from './errors.ts'
import { argumentOf, type ParameterType, type TemplateFunction } from './functions.ts'
import { templateError } from './lexer.ts'
import { type Command, GoFloat, type Operand, type Pipe, type TemplateNode, type TemplateTree } from './nodes.ts'
import { PLACE, type SplitOutput } from './value-renderer.ts'
import { isList, isMap, isTruthy, memberOf, printed, sortedKeys, type TemplateValue, typeName } from './values.ts'
import { argumentSteps, elementSteps, resultSteps, valueSteps } from './work.ts'

/**
 * Steps that a rendering may take: some milliseconds. A call takes steps for the values that it reads and makes
 * (`work.ts`).
 */
const MAX_STEPS = 20_000
/** Longest output, in characters. */
const MAX_OUTPUT = 1_500_000
/** Deepest nesting of `template` calls. */
const MAX_DEPTH = 50

/** Renders a tree. Throws TemplateError. */
export const renderTree = (tree: TemplateTree, functions: ReadonlyMap<string, TemplateFunction>, data: TemplateValue): string =>
  new Rendering(tree, functions, data).text()

/** Like `renderTree`, with the quoted texts apart, unless the object itself has their mark. */
export function renderSplit(tree: TemplateTree, functions: ReadonlyMap<string, TemplateFunction>, data: TemplateValue): SplitOutput {
  const texts: string[] = []
  const shape = new Rendering(tree, functions, data, texts).text()
  return shape.split(PLACE).length - 1 === 2 * texts.length ? { shape, texts } : { shape: renderTree(tree, functions, data), texts: [] }
}

/** Quoted texts that YAML reads as they stand: printable ASCII without escapes. */
const PLAIN_QUOTED = /^"[ !#-[\]-~]*"$/

/** Reports whether the output of a pipeline is a quoted text. */
const isQuoted = ({ commands }: Pipe): boolean => {
  const last = commands.at(-1)?.operands[0]
  return last?.kind === 'function' && last.name === 'Quote'
}

/** How a list of nodes ended. */
type Flow = 'next' | 'break' | 'continue'

interface Variable {
  readonly name: string
  value: TemplateValue
}

/** State of one rendering. Source: Go, text/template/exec.go. */
class Rendering {
  readonly #tree: TemplateTree
  readonly #functions: ReadonlyMap<string, TemplateFunction>
  readonly #data: TemplateValue
  #output = ''
  #variables: Variable[]
  #steps = MAX_STEPS
  #depth = 0
  /** Line of the current command, for errors. */
  #line = 1

  readonly #texts: string[] | undefined

  /**
   * @param texts takes quoted texts, which the output then only has places for. Omitted if they stand in the output.
   */
  constructor(tree: TemplateTree, functions: ReadonlyMap<string, TemplateFunction>, data: TemplateValue, texts?: string[]) {
    this.#texts = texts
    this.#tree = tree
    this.#functions = functions
    this.#data = data
    this.#variables = [{ name: '$', value: data }]
  }

  text(): string {
    this.#walk(this.#tree.root, this.#data)
    return this.#output
  }

  #walk(nodes: readonly TemplateNode[], dot: TemplateValue): Flow {
    for (const node of nodes) {
      this.#step()
      const flow = this.#node(node, dot)
      if (flow !== 'next') return flow
    }
    return 'next'
  }

  #node(node: TemplateNode, dot: TemplateValue): Flow {
    switch (node.kind) {
      case 'text':
        this.#write(node.text)
        return 'next'
      case 'action':
        this.#action(node.pipe, dot)
        return 'next'
      case 'if':
      case 'with':
        return this.#scoped(() => {
          const value = this.#pipe(node.pipe, dot)
          return isTruthy(value) ? this.#walk(node.body, node.kind === 'with' ? value : dot) : this.#walk(node.otherwise, dot)
        })
      case 'range':
        return this.#scoped(() => this.#range(node.pipe, node.body, node.otherwise, dot))
      case 'template':
        this.#template(node.name, node.pipe && this.#pipe(node.pipe, dot), node.line)
        return 'next'
      case 'break':
      case 'continue':
        return node.kind
    }
  }

  #action(pipe: Pipe, dot: TemplateValue): void {
    const value = this.#pipe(pipe, dot)
    if (pipe.variables.length > 0) return
    if (this.#texts !== undefined && typeof value === 'string' && isQuoted(pipe) && PLAIN_QUOTED.test(value)) {
      this.#write(`"${PLACE}${this.#texts.length}${PLACE}"`)
      this.#texts.push(value.slice(1, -1))
    } else this.#write(value === undefined ? '<no value>' : this.#guarded(() => this.#printed(value)))
  }

  #printed(value: TemplateValue): string {
    this.#step(valueSteps(value, this.#steps))
    return printed(value)
  }

  /** Runs with variables of its own. */
  #scoped<T>(run: () => T): T {
    const { length } = this.#variables
    const result = run()
    this.#variables.length = length
    return result
  }

  #range(pipe: Pipe, body: readonly TemplateNode[], otherwise: readonly TemplateNode[], dot: TemplateValue): Flow {
    const value = this.#pipe(pipe, dot)
    const items = this.#items(value, pipe)
    if (items.length === 0) return this.#walk(otherwise, dot)
    for (const [key, item] of items) {
      const flow = this.#scoped(() => {
        this.#setRangeVariables(pipe, key, item)
        return this.#walk(body, item)
      })
      if (flow === 'break') break
    }
    return 'next'
  }

  /**
   * Sets the variables of a range to an element and its key. Variables of the pipeline are declared before those of the
   * body.
   */
  #setRangeVariables({ variables }: Pipe, key: TemplateValue, item: TemplateValue): void {
    const [first, second] = variables
    if (first === undefined) return
    this.#assign(first, second === undefined ? item : key)
    if (second !== undefined) this.#assign(second, item)
  }

  #items(value: TemplateValue, { variables }: Pipe): readonly (readonly [TemplateValue, TemplateValue])[] {
    if (value === undefined) return []
    this.#step(elementSteps(value))
    if (isList(value)) return value.map((item, i) => [BigInt(i), item])
    if (isMap(value)) return sortedKeys(value).map(key => [key, memberOf(value, key)])
    if (typeof value !== 'bigint') throw this.#error(`range can't iterate over ${this.#printed(value)}`)
    if (variables.length > 1) throw this.#error(`can't use ${value} to iterate over more than one variable`)
    this.#step(Number(value))
    return Array.from({ length: Math.max(0, Number(value)) }, (_, i) => [undefined, BigInt(i)])
  }

  #template(name: string, data: TemplateValue, line: number): void {
    const nodes = this.#tree.defined.get(name)
    if (nodes === undefined) throw templateError(line, `template ${JSON.stringify(name)} not defined`)
    if (++this.#depth > MAX_DEPTH) throw templateError(line, `exceeded maximum template depth (${MAX_DEPTH})`)
    const outer = this.#variables
    this.#variables = [{ name: '$', value: data }]
    this.#walk(nodes, data)
    this.#variables = outer
    this.#depth--
  }

  #pipe({ commands, variables, isAssignment }: Pipe, dot: TemplateValue): TemplateValue {
    let value: TemplateValue
    let isFirst = true
    for (const command of commands) {
      // A nil interface becomes no value, as in evalPipeline.
      value = this.#command(command, dot, isFirst ? [] : [value]) ?? undefined
      isFirst = false
    }
    for (const name of variables) {
      if (isAssignment) this.#assign(name, value)
      else this.#variables.push({ name, value })
    }
    return value
  }

  /** @param final result of the previous command, if there is one. */
  #command({ operands, line }: Command, dot: TemplateValue, final: readonly TemplateValue[]): TemplateValue {
    this.#step()
    this.#line = line
    const [first, ...args] = operands
    if (first.kind === 'function') return this.#call(first.name, args, final, dot)
    if (args.length > 0 || final.length > 0)
      throw this.#error(
        first.kind === 'field' || (first.kind === 'variable' && first.fields.length > 0)
          ? `${first.fields.at(-1)} is not a method but has arguments`
          : `can't give argument to non-function ${first.text}`,
      )
    if (first.kind === 'nil') throw this.#error('nil is not a command')
    return this.#operand(first, dot)
  }

  #operand(operand: Operand, dot: TemplateValue): TemplateValue {
    switch (operand.kind) {
      case 'dot':
        return dot
      case 'nil':
        return null
      case 'literal':
        return operand.value
      case 'field':
        return this.#fields(dot, operand.fields)
      case 'variable':
        return this.#fields(this.#variable(operand.name).value, operand.fields)
      case 'function':
        return this.#call(operand.name, [], [], dot)
      case 'pipe':
        return this.#fields(this.#pipe(operand.pipe, dot), operand.fields)
    }
  }

  #fields(value: TemplateValue, fields: readonly string[]): TemplateValue {
    let at = value
    for (const field of fields) {
      if (at === undefined) return undefined
      if (at === null) throw this.#error(`nil pointer evaluating interface {}.${field}`)
      if (!isMap(at)) throw this.#error(`can't evaluate field ${field} in type ${typeName(at)}`)
      at = memberOf(at, field)
    }
    return at
  }

  #call(name: string, args: readonly Operand[], final: readonly TemplateValue[], dot: TemplateValue): TemplateValue {
    const declared = this.#functions.get(name)
    if (declared === undefined) throw this.#error(`function ${JSON.stringify(name)} is not supported`)
    const { parameters, rest, call } = declared
    const given = args.length + final.length
    if (rest === undefined ? given !== parameters.length : given < parameters.length)
      throw this.#error(`wrong number of args for ${name}: want ${rest === undefined ? '' : 'at least '}${parameters.length} got ${given}`)
    if (name === 'and' || name === 'or') return this.#logic(name === 'or', args, final, dot)
    const typeAt = (i: number): ParameterType => parameters[i] ?? rest ?? 'any'
    const line = this.#line
    const values = args.map((arg, i) => this.#argument(arg, typeAt(i), dot))
    if (final.length > 0) values.push(this.#checked(final[0], typeAt(given - 1)))
    this.#line = line
    try {
      for (const value of values) this.#step(argumentSteps(name, value, this.#steps))
      const result = call(...values)
      this.#step(resultSteps(result))
      // A text that is doubled in each step would soon fill the memory.
      if (typeof result === 'string' && result.length > MAX_OUTPUT) throw new FunctionError('the text is too long')
      return result
    } catch (error) {
      if (error instanceof FunctionError) throw this.#error(`error calling ${name}: ${error.message}`)
      if (error instanceof RangeError) throw this.#error(`error calling ${name}: ${errorMessage(error)}`)
      throw error
    }
  }

  /** Evaluates `and` or `or`, which stop at the first argument that decides. */
  #logic(decides: boolean, args: readonly Operand[], final: readonly TemplateValue[], dot: TemplateValue): TemplateValue {
    let value: TemplateValue
    for (const arg of args) {
      value = this.#operand(arg, dot)
      if (isTruthy(value) === decides) return value
    }
    return final.length > 0 ? final[0] : value
  }

  #argument(operand: Operand, type: ParameterType, dot: TemplateValue): TemplateValue {
    if (operand.kind === 'nil') {
      if (type === 'string' || type === 'int' || type === 'bool') throw this.#error(`cannot assign nil to ${type}`)
      return this.#checked(type === 'map' || type === 'list' ? undefined : null, type)
    }
    const value = this.#operand(operand, dot)
    // A constant such as 1e3 is an integer if the parameter is one.
    if (type === 'int' && operand.kind === 'literal' && value instanceof GoFloat && Number.isSafeInteger(value.value))
      return BigInt(value.value)
    return this.#checked(value, type)
  }

  #checked(value: TemplateValue, type: ParameterType): TemplateValue {
    return this.#guarded(() => argumentOf(value, type))
  }

  /** Adds the line to errors of functions. */
  #guarded<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      throw error instanceof FunctionError ? this.#error(error.message) : error
    }
  }

  #variable(name: string): Variable {
    for (let i = this.#variables.length - 1; i >= 0; i--) {
      const variable = this.#variables[i]
      if (variable?.name === name) return variable
    }
    throw this.#error(`undefined variable: ${name}`)
  }

  #assign(name: string, value: TemplateValue): void {
    this.#variable(name).value = value
  }

  #write(text: string): void {
    this.#output += text
    if (this.#output.length > MAX_OUTPUT) throw this.#error(`the output is longer than ${MAX_OUTPUT} characters`)
  }

  #step(steps = 1): void {
    this.#steps -= steps
    if (this.#steps < 0) throw this.#error(`rendering takes more than ${MAX_STEPS} steps`)
  }

  #error(message: string): TemplateError {
    return templateError(this.#line, message)
  }
}
