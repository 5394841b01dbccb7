import type { Expr, LiteralValue } from '../../src/cel/ast.ts'

function printLiteral(literal: LiteralValue): string {
  switch (literal.type) {
    case 'uint':
      return `${literal.value}u`
    case 'double': {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleBE(literal.value)
      return `d${bytes.toString('hex')}`
    }
    case 'string':
      return JSON.stringify(literal.value).replace(/[\u2028\u2029]/g, point => `\\u${point.codePointAt(0)!.toString(16)}`)
    case 'bytes':
      return `b${Buffer.from(literal.value).toString('hex')}`
    default:
      return String(literal.value)
  }
}

const mark = (optional: boolean): string => (optional ? '?' : '')

/** A tree on one line, each node with its number: the form in which test/fixtures/cel has the trees of cel-go. */
export function printTree(expr: Expr): string {
  const { id } = expr
  switch (expr.kind) {
    case 'literal':
      return `${id}:${printLiteral(expr.literal)}`
    case 'ident':
      return `${id}:${expr.name}`
    case 'select':
      return `(${id}:${expr.testOnly ? 'has ' : '.'}${expr.field} ${printTree(expr.operand)})`
    case 'call':
      return `(${[`${id}:${expr.name}`, ...(expr.target ? ['@', printTree(expr.target)] : []), ...expr.args.map(printTree)].join(' ')})`
    case 'list':
      return `${id}:[${expr.elements.map((element, i) => mark(expr.optionals.has(i)) + printTree(element)).join(' ')}]`
    case 'map':
      return `${id}:{${expr.entries.map(entry => `${mark(entry.optional)}${entry.id}:${printTree(entry.key)}=${printTree(entry.value)}`).join(' ')}}`
    case 'struct':
      return `${id}:${expr.typeName}{${expr.fields.map(field => `${mark(field.optional)}${field.id}:${field.name}=${printTree(field.value)}`).join(' ')}}`
    case 'comprehension': {
      const variables = expr.variable2 === undefined ? expr.variable : `${expr.variable},${expr.variable2}`
      const parts = [expr.init, expr.condition, expr.step, expr.result].map(printTree)
      return `(${id}:loop ${variables} ${printTree(expr.range)} ${expr.accumulator} ${parts.join(' ')})`
    }
    case 'unspecified':
      return `${id}:?`
  }
}
