import type { FieldSyntax } from '../../src/schema/idl-syntax.ts'

/** A field in the terms of declarations (`src/schema/idl.ts`). */
export interface FieldFacts {
  /** Empty for an inlined struct. */
  readonly name: string
  /** Number in protobuf, `-` if it has none. */
  readonly number: string
  readonly pointer: boolean
  /** Type without `*` and `?`: `[]core.Container`. */
  readonly type: string
  readonly required: boolean
  readonly omitEmpty: boolean
  /** Other marks: list types, patch strategies, gates, releases, rules. */
  readonly marks: readonly string[]
  /** Optional. Default with its sign: `= 1`, `=@1.31 1`. */
  readonly default?: string
}

const FORMS: readonly string[] = ['required', 'optional', 'omitempty', 'keepempty']

/** Returns the facts of a line of declarations. */
export function factsOfSyntax({ name, number, pointer, type, optional, marks, default: given }: FieldSyntax): FieldFacts {
  return {
    name,
    number: number === undefined ? '-' : String(number),
    pointer,
    type,
    required: marks.includes('required') || (!optional && !marks.includes('optional')),
    omitEmpty: marks.includes('omitempty') || (optional && !marks.includes('keepempty')),
    marks: marks.filter(mark => !FORMS.includes(mark)),
    ...(given && { default: `=${given.since === undefined ? '' : `@1.${given.since}`} ${given.json}` }),
  }
}

/** Writes a line of declarations, without its indentation. */
export function fieldText({ name, number, pointer, type, required, omitEmpty, marks, default: given }: FieldFacts): string {
  if (name === '') return `inline ${number} ${type}`
  const form = required ? (omitEmpty ? ' omitempty' : '') : omitEmpty ? '?' : ' optional'
  return [`${name} ${number} ${pointer ? '*' : ''}${type}${form}`, ...marks, ...(given === undefined ? [] : [given])].join(' ')
}

/** Returns a mark without the release from which it applies: `atomic` for `atomic@1.30`. */
const unreleased = (mark: string): string => mark.replace(/@1\.\d+$/, '')

const isGate = (mark: string): boolean => mark.startsWith('gate(')

/** Returns the gate of a field without its use: `gate(A)` for `gate(A,own)`. */
const gateOf = (mark: string): string => mark.replace(/,\w+\)$/, ')')

/**
 * Applies to a declared field what changed between two releases. Marks that only declarations have, such as rules,
 * stay. So does a gate that the new release no longer states, which ends with its entry in the table of gates, and a
 * deprecation, which is stated by words that may change.
 */
export function withChange(declared: FieldFacts, before: FieldFacts, after: FieldFacts): FieldFacts {
  const changed = <K extends keyof FieldFacts>(member: K): FieldFacts[K] =>
    before[member] === after[member] ? declared[member] : after[member]
  const gone = before.marks.filter(mark => !after.marks.includes(mark) && !isGate(mark) && mark !== 'deprecated')
  const own = declared.marks.filter(mark => !gone.includes(unreleased(mark)))
  const stated = own.map(mark => (isGate(mark) ? gateOf(mark) : unreleased(mark)))
  const added = after.marks.filter(mark => !before.marks.includes(mark) && !stated.includes(mark))
  const given = changed('default')
  return {
    name: after.name,
    number: changed('number'),
    pointer: changed('pointer'),
    type: changed('type'),
    required: changed('required'),
    omitEmpty: changed('omitEmpty'),
    marks: [...own, ...added],
    ...(given !== undefined && { default: given }),
  }
}

/** Reports whether two fields are declared in the same way, whatever the order of their marks. */
export const sameFacts = (a: FieldFacts, b: FieldFacts): boolean => sortedText(a) === sortedText(b)

const sortedText = (facts: FieldFacts): string => fieldText({ ...facts, marks: [...facts.marks].sort() })
