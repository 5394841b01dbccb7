import type { LiteralValue } from './ast.ts'
import type { Token } from './lexer.ts'
import { intLiteral, LiteralFault, parseDouble, uintLiteral, unescapeBytes, unescapeString } from './literals.ts'

/** Returns the value, or throws if it exceeds the range of its type. The lexer doesn't check ranges. */
function valueInRange<T>(value: T | undefined, kind: string): T {
  if (value === undefined) throw new LiteralFault(`invalid ${kind} literal`)
  return value
}

/**
 * Returns the value of a literal token. Throws LiteralFault.
 * @param negative whether a minus precedes it.
 */
export function literalOf({ type, text }: Token, negative: boolean): LiteralValue {
  switch (type) {
    case 'NUM_INT':
      return { type: 'int', value: valueInRange(intLiteral(text, negative), 'int') }
    case 'NUM_UINT':
      return { type: 'uint', value: valueInRange(uintLiteral(text.slice(0, -1)), 'uint') }
    case 'NUM_FLOAT':
      return { type: 'double', value: valueInRange(parseDouble(negative ? `-${text}` : text), 'double') }
    case 'STRING':
      return { type: 'string', value: unescapeString(text) }
    case 'BYTES':
      return { type: 'bytes', value: unescapeBytes(text.slice(1)) }
    case 'true':
    case 'false':
      return { type: 'bool', value: type === 'true' }
    default:
      return { type: 'null_type', value: null }
  }
}
