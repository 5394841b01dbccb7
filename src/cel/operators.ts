/** Function names of operators (cel-spec, "Operators"). */
export const CONDITIONAL = '_?_:_'
/** False if either operand is, even if the other is an error. */
export const LOGICAL_AND = '_&&_'
/** True if either operand is, even if the other is an error. */
export const LOGICAL_OR = '_||_'
export const LOGICAL_NOT = '!_'
/** Negation of a number. A minus before a literal is part of the literal. */
export const NEGATE = '-_'
/** Element of a list by position, or of a map by key. */
export const INDEX = '_[_]'
/** `a[?i]` and `a.?b`, which return an optional (cel-spec proposal 246). */
export const OPTIONAL_INDEX = '_[?_]'
export const OPTIONAL_SELECT = '_?._'
/**
 * Condition of loops: false only for `false`. An error continues the loop, so that `exists` can still find an element.
 */
export const NOT_STRICTLY_FALSE = '@not_strictly_false'
/** Addition, and concatenation of strings, bytes and lists. */
export const ADD = '_+_'
/** Defined for all types. Numbers of different types are equal if their values are. */
export const EQUALS = '_==_'

/** Function names of relations, by their token. */
export const RELATIONS: Readonly<Record<string, string>> = {
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '==': EQUALS,
  '!=': '_!=_',
  in: '@in',
}

/** Function names of arithmetic operators, by their token. Products bind more tightly than sums. */
export const SUMS: Readonly<Record<string, string>> = { '+': ADD, '-': '_-_' }
export const PRODUCTS: Readonly<Record<string, string>> = { '*': '_*_', '/': '_/_', '%': '_%_' }
