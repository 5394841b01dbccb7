import { IDENTIFIER } from './lexer.ts'

/** Tokens that may begin an expression. */
export const STARTS: readonly string[] = [
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  IDENTIFIER,
]

/** Tokens that may go on behind a whole term, wherever it stands. */
export const CONTINUATIONS = new Set(['.', '[', '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '-', '?', '+', '*', '/', '%'])

/** Those of them that stand between two terms and begin none. */
export const OPERATORS = new Set(['==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '?', '+', '*', '/', '%'])

/** Words that name nothing. */
export const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
)

/** Literals that may have a sign of their own. */
export const NUMBERS = new Set(['NUM_INT', 'NUM_FLOAT'])

/** Literals that cel-go takes for names behind a sign. */
export const WORDS = new Set(['true', 'false', 'null'])
