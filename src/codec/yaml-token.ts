export type TokenType =
  | 'stream end'
  | 'version'
  | 'tag directive'
  | 'document start'
  | 'document end'
  | 'block sequence'
  | 'block mapping'
  | 'block end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | '?'
  | ':'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

/** A token. `line` is counted from zero. */
export interface Token {
  readonly type: TokenType
  readonly line: number
  /** Range of its text. A token without text has an empty one. */
  readonly start: number
  readonly end: number
  /** Text of a scalar, name of an alias or anchor, handle of a tag or tag directive, or number of a version. */
  readonly value: string
  /** Rest of a tag, or prefix of a tag directive. Empty for other tokens. */
  readonly suffix: string
  /** Whether it is a scalar without quotes or a block indicator. */
  readonly isPlain: boolean
}
