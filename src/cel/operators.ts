/** Function names of operators (cel-spec, "Operators"). */
export const CONDITIONAL = '_?_:_'
export const LOGICAL_AND = '_&&_'
export const LOGICAL_OR = '_||_'
export const LOGICAL_NOT = '!_'
export const NEGATE = '-_'
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
