import { IDENTIFIER } from './lexer.ts'

/** Tokens that begin an expression. */
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

/** Tokens that can follow a complete term. */
export const CONTINUATIONS = new Set(['.', '[', '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '-', '?', '+', '*', '/', '%'])

/** Binary operators that cannot begin a term. */
export const OPERATORS = new Set(['==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '?', '+', '*', '/', '%'])

/** Reserved words. They cannot be identifiers. */
export const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
)

/** Literals that may have a sign. */
export const NUMBERS = new Set(['NUM_INT', 'NUM_FLOAT'])

/** Literals that cel-go reads as identifiers after a sign. */
export const WORDS = new Set(['true', 'false', 'null'])
