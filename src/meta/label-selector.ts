import type { FieldError } from './field-error.ts'
import { fieldErrorText, forbidden, invalid, required } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { isQualifiedName, isValidLabelValue } from './names.ts'
import { validateLabels } from './object-meta-validation.ts'

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt'

/** One term of a selector; `nothing` stands for a selector that is absent and so matches no object. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator | 'nothing'
  /** Unique; sorted where a text was parsed. */
  readonly values: readonly string[]
}

/** metav1.LabelSelector */
export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

type Labels = Readonly<Record<string, string>>

/** The selector that matches nothing: an absent metav1.LabelSelector. */
export const NOTHING: readonly LabelRequirement[] = [{ key: '', operator: 'nothing', values: [] }]

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }
const byKey = (a: LabelRequirement, b: LabelRequirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

/** A checked requirement. Throws with apimachinery's text; a path of undefined prints as Go's nil path does. */
function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors: FieldError[] = []
  const at = (text: string): FieldPath => new FieldPath(text)
  const keyErrors = isQualifiedName(key)
  if (keyErrors.length > 0) errors.push(invalid(at('key'), key, keyErrors.join('; ')))
  const bad = (detail: string): number => errors.push(invalid(at('values'), values, detail))
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) bad("for 'in', 'notin' operators, values set can't be empty")
      break
    case 'exists':
    case '!':
      if (values.length > 0) bad('values set must be empty for exists and does not exist')
      break
    case 'gt':
    case 'lt':
      if (values.length !== 1) bad("for 'Gt', 'Lt' operators, exactly one value is required")
      for (const [i, value] of values.entries()) {
        if (integer(value) === undefined) errors.push(invalid(at(`values[${i}]`), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      }
      break
    default:
      if (values.length !== 1) bad('exact-match compatibility requires one single value')
  }
  for (const [i, value] of values.entries()) {
    const valueErrors = isValidLabelValue(value)
    if (valueErrors.length > 0) errors.push(invalid(at(`values[${i}][${key}]`), value, valueErrors.join('; ')))
  }
  if (errors.length > 0) {
    const texts = [...new Set(errors.map(fieldErrorText))]
    throw new Error(texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`)
  }
  return { key, operator, values }
}

/** Go's strconv.ParseInt(text, 10, 64). */
function integer(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const n = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return n >= -(1n << 63n) && n < 1n << 63n ? n : undefined
}

type TokenKind = ')' | '(' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | 'in' | 'notin' | 'identifier' | 'end' | 'error'
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const SPECIAL = '=!(),><'
const SPACE = ' \t\r\n'

function scan(selector: string): Token[] {
  const tokens: Token[] = []
  const nul = selector.indexOf('\0')
  const text = nul < 0 ? selector : selector.slice(0, nul)
  let at = 0
  while (at < text.length) {
    const c = text[at] as string
    if (SPACE.includes(c)) {
      at++
    } else if (SPECIAL.includes(c)) {
      const two = text.slice(at, at + 2)
      const kind = two === '==' || two === '!=' ? two : (c as TokenKind)
      tokens.push({ kind, text: kind })
      at += kind.length
    } else {
      const start = at
      while (at < text.length && !SPECIAL.includes(text[at] as string) && !SPACE.includes(text[at] as string)) at++
      const word = text.slice(start, at)
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word })
    }
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

const OPERATOR_TOKENS: Readonly<Partial<Record<TokenKind, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}

class Parser {
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(text: string) {
    this.tokens = scan(text)
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const token = this.peek()
      if (token.kind === 'end') return requirements
      if (token.kind !== 'identifier' && token.kind !== '!') throw new Error(`found '${token.text}', expected: !, identifier, or 'end of string'`)
      try {
        requirements.push(this.requirement())
      } catch (error) {
        throw new Error(`unable to parse requirement: ${(error as Error).message}`)
      }
      const next = this.take()
      if (next.kind === 'end') return requirements
      if (next.kind !== ',') throw new Error(`found '${next.text}', expected: ',' or 'end of string'`)
      const after = this.peek()
      if (after.kind !== 'identifier' && after.kind !== '!') throw new Error(`found '${after.text}', expected: identifier after ','`)
    }
  }

  private raw(): Token {
    return this.tokens[Math.min(this.at, this.tokens.length - 1)] as Token
  }

  /** The next token where keywords are identifiers. */
  private peek(): Token {
    const token = this.raw()
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token
  }

  private take(): Token {
    const token = this.peek()
    this.at++
    return token
  }

  private requirement(): LabelRequirement {
    let token = this.take()
    const absent = token.kind === '!'
    if (absent) token = this.take()
    if (token.kind !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
    const key = token.text
    const errors = isQualifiedName(key)
    if (errors.length > 0) throw new Error(fieldErrorText(invalid(new FieldPath('<nil>'), key, errors.join('; '))))
    const next = this.peek()
    if (absent) return requirement(key, '!', [])
    if (next.kind === 'end' || next.kind === ',') return requirement(key, 'exists', [])
    const operatorToken = this.raw()
    this.at++
    const operator = OPERATOR_TOKENS[operatorToken.kind]
    if (operator === undefined) throw new Error(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`)
    const values = operator === 'in' || operator === 'notin' ? this.values() : this.exactValue()
    return requirement(key, operator, [...values].sort())
  }

  private values(): Set<string> {
    const open = this.take()
    if (open.kind !== '(') throw new Error(`found '${open.text}' expected: '('`)
    const token = this.peek()
    if (token.kind === ')') {
      this.take()
      return new Set([''])
    }
    if (token.kind !== 'identifier' && token.kind !== ',') throw new Error(`found '${token.text}', expected: ',', ')' or identifier`)
    const values = this.identifiers()
    if (this.take().kind !== ')') throw new Error(`found '${token.text}', expected: ')'`)
    return values
  }

  /** Empty places between commas are empty values. */
  private identifiers(): Set<string> {
    const values = new Set<string>()
    for (;;) {
      const token = this.take()
      const next = this.peek()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (next.kind === ')') return values
        if (next.kind !== ',') throw new Error(`found '${next.text}', expected: ',' or ')'`)
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('')
        if (next.kind === ')') {
          values.add('')
          return values
        }
        if (next.kind === ',') {
          this.take()
          values.add('')
        }
      } else {
        throw new Error(`found '${token.text}', expected: ',', or identifier`)
      }
    }
  }

  private exactValue(): Set<string> {
    const next = this.peek()
    if (next.kind === 'end' || next.kind === ',') return new Set([''])
    const token = this.take()
    if (token.kind !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
    return new Set([token.text])
  }
}

/** Parses the query parameter `labelSelector`, sorted by key. Throws an Error with apimachinery's text. An empty list matches everything. */
export const parseLabelSelector = (text: string): LabelRequirement[] => new Parser(text).parse().sort(byKey)

function matchesOne({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? (labels[key] as string) : undefined
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value)
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      const left = value === undefined ? undefined : integer(value)
      const right = integer(values[0] ?? '')
      return left !== undefined && right !== undefined && (operator === 'gt' ? left > right : left < right)
    }
    case 'nothing':
      return false
  }
}

const EMPTY: Labels = {}

export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels | undefined | null): boolean {
  for (const one of requirements) if (!matchesOne(one, labels ?? EMPTY)) return false
  return true
}

/** A label query of the API as requirements. Absent: NOTHING. Throws an Error where a key, operator or value is invalid. */
export function labelSelectorOf(selector: LabelSelector | undefined | null): readonly LabelRequirement[] {
  if (!selector) return NOTHING
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push(requirement(key, '=', [value]))
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = OPERATORS[operator]
    if (known === undefined) throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`)
    requirements.push(requirement(key, known, values ?? []))
  }
  return requirements.sort(byKey)
}

/** A plain map (Service, ReplicationController) as requirements; not checked. */
export const labelSelectorOfMap = (map: Labels | undefined): LabelRequirement[] =>
  Object.entries(map ?? {})
    .map(([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }))
    .sort(byKey)

const SIGNS: Readonly<Partial<Record<LabelOperator | 'nothing', string>>> = { gt: '>', lt: '<' }

function printRequirement({ key, operator, values }: LabelRequirement): string {
  const sorted = [...values].sort().join(',')
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sorted})`
    case 'nothing':
      return ''
    default:
      return `${key}${SIGNS[operator] ?? operator}${sorted}`
  }
}

export const printLabelRequirements = (requirements: readonly LabelRequirement[]): string => requirements.map(printRequirement).join(',')

/** metav1.FormatLabelSelector: `<none>` for an empty or absent one, `<error>` for an invalid one. */
export function printLabelSelector(selector: LabelSelector | undefined | null): string {
  try {
    return printLabelRequirements(labelSelectorOf(selector)) || '<none>'
  } catch {
    return '<error>'
  }
}

/** labels.FormatLabels: `a=b,c=d`, or `<none>`. */
export const printLabels = (map: Labels | undefined): string => printLabelRequirements(labelSelectorOfMap(map)) || '<none>'

export interface LabelSelectorRules {
  /** An update may keep values that were let in before they were checked. */
  readonly allowInvalidValues?: boolean
  readonly allowUnknownOperator?: boolean
}

/** ValidateLabelSelector of metav1. An absent selector is valid here. */
export function validateLabelSelector(selector: LabelSelector | undefined | null, path: FieldPath, rules: LabelSelectorRules = {}): FieldError[] {
  if (!selector) return []
  const errors = validateLabels(selector.matchLabels, path.child('matchLabels'))
  for (const [i, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = path.child('matchExpressions').index(i)
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) errors.push(required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0) errors.push(forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    } else if (!rules.allowUnknownOperator) {
      errors.push(invalid(at.child('operator'), operator, 'not a valid selector operator'))
    }
    for (const message of isQualifiedName(key)) errors.push(invalid(at.child('key'), key, message))
    if (rules.allowInvalidValues) continue
    for (const [j, value] of values.entries()) {
      for (const message of isValidLabelValue(value)) errors.push(invalid(at.child('values').index(j), value, message))
    }
  }
  return errors
}

/** Whether a selector has values that validation would not let in today. */
export const hasInvalidLabelValue = (selector: LabelSelector | undefined | null): boolean =>
  (selector?.matchExpressions ?? []).some(({ values = [] }) => values.some(value => isValidLabelValue(value).length > 0))
