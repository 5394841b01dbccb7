import { compareUnits } from '../lib/compare-text.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { fieldErrorText, invalid, worded } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import type { LabelOperator, LabelRequirement } from './label-requirement.ts'
import { labelRequirementSteps } from './label-requirement.ts'
import { isQualifiedName } from './names.ts'
import { SelectorError } from './selector-error.ts'
import { joined } from './wording.ts'

type TokenKind = ')' | '(' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | 'in' | 'notin' | 'identifier' | 'end' | 'error'
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

/** Characters that end a word and are tokens themselves. */
const SPECIAL = ['=', '!', '(', ')', ',', '>', '<'] as const
const isSpecial = (c: string): c is (typeof SPECIAL)[number] => SPECIAL.some(special => special === c)

const SPACE = ' \t\r\n'

/** Yields the tokens of a selector on demand, so that a long selector is not held as tokens. */
function* scan(selector: string): Generator<Token, void, undefined> {
  const nul = selector.indexOf('\0')
  const text = nul < 0 ? selector : selector.slice(0, nul)
  let at = 0
  while (at < text.length) {
    const c = text.charAt(at)
    if (SPACE.includes(c)) {
      at++
    } else if (isSpecial(c)) {
      const two = text.slice(at, at + 2)
      const kind = two === '==' || two === '!=' ? two : c
      yield { kind, text: kind }
      at += kind.length
    } else {
      const start = at
      while (at < text.length && !isSpecial(text.charAt(at)) && !SPACE.includes(text.charAt(at))) at++
      const word = text.slice(start, at)
      yield { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word }
    }
  }
}

const END: Token = { kind: 'end', text: '' }

const OPERATOR_TOKENS: Readonly<Partial<Record<TokenKind, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}

/** Number of values up to which a list is sorted in one step. */
const FEW = 64

/** Parses a selector like labels.Parser. Throws a SelectorError. */
export class LabelSelectorParser {
  readonly #tokens: Iterator<Token, void, undefined>
  #current: Token

  constructor(text: string) {
    this.#tokens = scan(text)
    this.#current = this.#next()
  }

  /**
   * Yields the requirements in the order of the text. Yields undefined while parsing a long list of values, so that the
   * caller can give way to other work.
   */
  *requirements(): Generator<LabelRequirement | undefined, void, undefined> {
    for (;;) {
      const token = this.#peek()
      if (token.kind === 'end') return
      if (token.kind !== 'identifier' && token.kind !== '!')
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`)
      let requirement: LabelRequirement
      try {
        requirement = yield* this.#requirement()
      } catch (error) {
        if (!(error instanceof SelectorError)) throw error
        const unable = (why: string): string => `unable to parse requirement: ${why}`
        throw new SelectorError(unable(error.message), wording => unable(error.worded(wording)))
      }
      yield requirement
      const next = this.#take()
      if (next.kind === 'end') return
      if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`)
      const after = this.#peek()
      if (after.kind !== 'identifier' && after.kind !== '!')
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`)
    }
  }

  #next(): Token {
    return this.#tokens.next().value ?? END
  }

  /** Returns the next token, with keywords as identifiers. */
  #peek(): Token {
    const token = this.#current
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token
  }

  #take(): Token {
    const token = this.#peek()
    this.#current = this.#next()
    return token
  }

  /** A key of a wrong form is reported before the operator. Values are sorted, as upstream prints them. */
  *#requirement(): Steps<LabelRequirement> {
    let token = this.#take()
    const absent = token.kind === '!'
    if (absent) token = this.#take()
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`)
    const key = token.text
    const errors = isQualifiedName(key)
    if (errors.length > 0) {
      const error = invalid(new FieldPath('<nil>'), key, joined(errors, '; '))
      throw new SelectorError(fieldErrorText(error), wording => fieldErrorText(worded(error, wording) ?? error))
    }
    const next = this.#peek()
    if (absent) return yield* labelRequirementSteps(key, '!', [])
    if (next.kind === 'end' || next.kind === ',') return yield* labelRequirementSteps(key, 'exists', [])
    const operatorToken = this.#current
    this.#current = this.#next()
    const operator = OPERATOR_TOKENS[operatorToken.kind]
    if (operator === undefined) throw new SelectorError(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`)
    const values = operator === 'in' || operator === 'notin' ? yield* this.#values() : this.#exactValue()
    return yield* labelRequirementSteps(
      key,
      operator,
      values.size < FEW ? [...values].sort() : yield* sortInSteps([...values], compareUnits),
    )
  }

  /**
   * `()` stands for one empty value. Errors name the token after the parenthesis, even for a missing one at the end, as
   * upstream.
   */
  *#values(): Steps<Set<string>> {
    const open = this.#take()
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`)
    const token = this.#peek()
    if (token.kind === ')') {
      this.#take()
      return new Set([''])
    }
    if (token.kind !== 'identifier' && token.kind !== ',')
      throw new SelectorError(`found '${token.text}', expected: ',', ')' or identifier`)
    const values = yield* this.#identifiers()
    if (this.#take().kind !== ')') throw new SelectorError(`found '${token.text}', expected: ')'`)
    return values
  }

  /** An omitted value between commas is an empty string. */
  *#identifiers(): Steps<Set<string>> {
    const values = new Set<string>()
    for (;;) {
      if (isStepDone()) yield
      const token = this.#take()
      const next = this.#peek()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (next.kind === ')') return values
        if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or ')'`)
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('')
        if (next.kind === ')') {
          values.add('')
          return values
        }
        if (next.kind === ',') {
          this.#take()
          values.add('')
        }
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`)
      }
    }
  }

  #exactValue(): Set<string> {
    const next = this.#peek()
    if (next.kind === 'end' || next.kind === ',') return new Set([''])
    const token = this.#take()
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`)
    return new Set([token.text])
  }
}
