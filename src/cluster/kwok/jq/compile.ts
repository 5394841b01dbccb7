import { JqError } from './errors.ts'
import { collected, type JqFilter, type JqScope, recurse } from './filter.ts'
import { FUNCTIONS } from './functions.ts'
import type { JqNode } from './nodes.ts'
import { applyOperator } from './operators.ts'
import { elementsOf, indexed, sliced } from './paths.ts'
import { syntaxError } from './scanner.ts'
import { described, isTruthy, type JqValue, jsonOf, objectOf } from './values.ts'

/** Compiles a tree into closures. Throws JqSyntaxError for a function that is not known. */
export function compileNode(node: JqNode): JqFilter {
  switch (node.kind) {
    case 'identity':
      return (input, _run, _scope, emit) => emit(input)
    case 'recurse':
      return (input, run, _scope, emit) => recurse(input, run, emit)
    case 'literal':
      return (_input, _run, _scope, emit) => emit(node.value)
    case 'index':
      return compileIndex(node.target, node.index)
    case 'slice':
      return compileSlice(node.target, node.from, node.to)
    case 'iterate':
      return compileIterate(node.target)
    case 'pipe':
      return compilePipe(node.left, node.right)
    case 'comma':
      return compileComma(node.left, node.right)
    case 'negate':
      return compileNegate(node.operand)
    case 'operator':
      return compileOperator(node)
    case 'and':
    case 'or':
      return compileLogic(node.kind === 'or', node.left, node.right)
    case 'alternative':
      return compileAlternative(node.left, node.right)
    case 'try':
      return compileTry(node.body, node.handler)
    case 'bind':
      return compileBind(node.name, node.source, node.body)
    case 'variable':
      return (_input, _run, scope, emit) => emit(variableOf(node.name, scope))
    case 'if':
      return compileIf(node)
    case 'text':
      return compileText(node.parts)
    case 'array':
      return compileArray(node.items)
    case 'object':
      return compileObject(node)
    case 'call':
      return compileCall(node)
  }
}

function compileIndex(target: JqNode, index: JqNode): JqFilter {
  const from = compileNode(target)
  if (index.kind === 'literal') {
    const key = index.value
    if (target.kind === 'identity')
      return (input, run, _scope, emit) => {
        run.budget.spend()
        emit(indexed(input, key, run.budget))
      }
    return (input, run, scope, emit) =>
      from(input, run, scope, value => {
        run.budget.spend()
        emit(indexed(value, key, run.budget))
      })
  }
  const by = compileNode(index)
  return (input, run, scope, emit) =>
    from(input, run, scope, value =>
      by(input, run, scope, key => {
        run.budget.spend()
        emit(indexed(value, key, run.budget))
      }),
    )
}

function compileSlice(target: JqNode, from: JqNode | undefined, to: JqNode | undefined): JqFilter {
  const list = compileNode(target)
  const absent: JqFilter = (_input, _run, _scope, emit) => emit(null)
  const [start, end] = [from ? compileNode(from) : absent, to ? compileNode(to) : absent]
  return (input, run, scope, emit) =>
    list(input, run, scope, value =>
      end(input, run, scope, last => start(input, run, scope, first => emit(sliced(value, first, last, run.budget)))),
    )
}

function compileIterate(target: JqNode): JqFilter {
  const from = compileNode(target)
  return (input, run, scope, emit) =>
    from(input, run, scope, value => {
      for (const item of elementsOf(value, run.budget)) {
        run.budget.spend()
        emit(item)
      }
    })
}

function compilePipe(left: JqNode, right: JqNode): JqFilter {
  const [first, second] = [compileNode(left), compileNode(right)]
  return (input, run, scope, emit) => first(input, run, scope, value => second(value, run, scope, emit))
}

function compileComma(left: JqNode, right: JqNode): JqFilter {
  const [first, second] = [compileNode(left), compileNode(right)]
  return (input, run, scope, emit) => {
    run.budget.spend()
    first(input, run, scope, emit)
    second(input, run, scope, emit)
  }
}

function compileNegate(operand: JqNode): JqFilter {
  const of = compileNode(operand)
  return (input, run, scope, emit) =>
    of(input, run, scope, value => {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw new JqError(`cannot negate: ${described(value, run.budget)}`)
      emit(-value)
    })
}

/** Compiles an operator. The right operand is evaluated first, as in jq. */
function compileOperator({ operator, left, right }: Extract<JqNode, { kind: 'operator' }>): JqFilter {
  const [first, second] = [compileNode(left), compileNode(right)]
  return (input, run, scope, emit) =>
    second(input, run, scope, b =>
      first(input, run, scope, a => {
        run.budget.spend()
        emit(applyOperator(operator, a, b, run.budget))
      }),
    )
}

/** Compiles `and` and `or`, which evaluate the right operand only if the left one does not decide. */
function compileLogic(decides: boolean, left: JqNode, right: JqNode): JqFilter {
  const [first, second] = [compileNode(left), compileNode(right)]
  return (input, run, scope, emit) =>
    first(input, run, scope, value => {
      run.budget.spend()
      if (isTruthy(value) === decides) emit(decides)
      else second(input, run, scope, other => emit(isTruthy(other)))
    })
}

/**
 * Compiles `//`: the true results of the left operand, or the results of the right one if there are none. Errors of the
 * left operand are not handled, as in gojq.
 */
function compileAlternative(left: JqNode, right: JqNode): JqFilter {
  const [first, second] = [compileNode(left), compileNode(right)]
  return (input, run, scope, emit) => {
    let hasResult = false
    first(input, run, scope, value => {
      if (!isTruthy(value)) return
      hasResult = true
      emit(value)
    })
    if (!hasResult) second(input, run, scope, emit)
  }
}

/** Thrown through the `try` that passed a result on, by an error of the filters that received it. */
class Outside extends Error {
  readonly error: JqError
  readonly passedBy: object

  constructor(error: JqError, passedBy: object) {
    super()
    this.error = error
    this.passedBy = passedBy
  }
}

/** Compiles `try`. It handles errors of its body, but not those of the filters that its results are passed to. */
function compileTry(body: JqNode, handler: JqNode | undefined): JqFilter {
  const [attempt, handle] = [compileNode(body), handler && compileNode(handler)]
  return (input, run, scope, emit) => {
    const own = {}
    try {
      attempt(input, run, scope, value => {
        try {
          emit(value)
        } catch (error) {
          throw error instanceof JqError ? new Outside(error, own) : error
        }
      })
    } catch (error) {
      if (error instanceof Outside && error.passedBy === own) throw error.error
      if (!(error instanceof JqError)) throw error
      handle?.(error.message, run, scope, emit)
    }
  }
}

function compileBind(name: string, source: JqNode, body: JqNode): JqFilter {
  const [values, then] = [compileNode(source), compileNode(body)]
  return (input, run, outer, emit) => values(input, run, outer, value => then(input, run, { name, value, outer }, emit))
}

function variableOf(name: string, scope: JqScope | undefined): JqValue {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.value
  throw new JqError(`variable not defined: $${name}`)
}

function compileIf({ branches, otherwise }: Extract<JqNode, { kind: 'if' }>): JqFilter {
  const last: JqFilter = otherwise ? compileNode(otherwise) : (input, _run, _scope, emit) => emit(input)
  return branches.reduceRight((rest, { condition, result }) => {
    const [test, branch] = [compileNode(condition), compileNode(result)]
    return (input, run, scope, emit) => test(input, run, scope, value => (isTruthy(value) ? branch : rest)(input, run, scope, emit))
  }, last)
}

/** Compiles a text with interpolated queries. Later queries vary slowest, as in jq. */
function compileText(parts: readonly (string | JqNode)[]): JqFilter {
  const compiled = parts.map(part => (typeof part === 'string' ? part : compileNode(part)))
  return (input, run, scope, emit) => {
    const join = (at: number, tail: string): void => {
      run.budget.spendText(tail.length)
      const part = compiled[at]
      if (part === undefined) emit(tail)
      else if (typeof part === 'string') join(at - 1, part + tail)
      else part(input, run, scope, value => join(at - 1, (typeof value === 'string' ? value : jsonOf(value, run.budget)) + tail))
    }
    join(compiled.length - 1, '')
  }
}

function compileArray(items: JqNode | undefined): JqFilter {
  if (items === undefined) return (_input, _run, _scope, emit) => emit([])
  const of = compileNode(items)
  return (input, run, scope, emit) => emit(collected(of, input, run, scope))
}

function compileObject({ entries }: Extract<JqNode, { kind: 'object' }>): JqFilter {
  const compiled = entries.map(({ key, value }) => ({ key: compileNode(key), value: compileNode(value) }))
  return (input, run, scope, emit) => {
    const build = (at: number, members: readonly (readonly [string, JqValue])[]): void => {
      run.budget.spend(members.length + 1)
      const entry = compiled[at]
      if (entry === undefined) {
        emit(objectOf(members))
        return
      }
      entry.key(input, run, scope, key => {
        if (typeof key !== 'string') throw new JqError(`expected a string for object key but got: ${described(key, run.budget)}`)
        entry.value(input, run, scope, value => build(at + 1, [...members, [key, value]]))
      })
    }
    build(0, [])
  }
}

function compileCall({ name, args, at }: Extract<JqNode, { kind: 'call' }>): JqFilter {
  const signature = `${name}/${args.length}`
  const found = FUNCTIONS.get(signature)
  if (found === undefined) throw syntaxError(`function "${signature}" is not supported`, at)
  return found(args.map(compileNode))
}
