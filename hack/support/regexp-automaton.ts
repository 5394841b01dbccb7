import type { Concatenation, Element, Quantifier } from 'refa'
import { CharSet, JS, type NoParent } from 'refa'

/** One character of an expression: a state of its automaton, which holds after the character was read. */
export interface Position {
  readonly characters: CharSet
  /** Positions that may follow, with the number of ways in which they do. */
  readonly next: Map<Position, number>
  /** Whether the whole expression matches here, whatever follows. */
  accepts: boolean
}

/**
 * Position automaton of an expression (Glushkov 1961): a run of it is one way in which a backtracking matcher goes
 * through a text.
 */
export interface Automaton {
  readonly positions: readonly Position[]
  /**
   * Reads what stands before a match. Undefined if the expression matches at one place only: at the start of the text,
   * or at `lastIndex`.
   */
  readonly search: Position | undefined
  /** Parts that the automaton cannot express: back references, and look-behind of unbounded length. */
  readonly unknown: readonly string[]
}

/** Repetitions that are written out. More, or a wider range, is taken for a loop. */
const MOST_COPIES = 64
const MOST_OPTIONAL = 16

type Node = NoParent<Element>

/**
 * A position that a fragment begins with, and the characters that may stand before it. The start of the text may
 * always.
 */
interface First {
  readonly at: Position
  readonly before: CharSet
}

/** A position that a fragment ends with, and whether the fragment ends there whatever follows. */
interface Last {
  readonly at: Position
  readonly isCertain: boolean
}

interface Fragment {
  readonly first: readonly First[]
  readonly last: readonly Last[]
  /** The characters behind which the fragment matches the empty text, if it does. */
  readonly empty: CharSet | undefined
  /** Whether the empty text matches whatever is around it. */
  readonly isCertain: boolean
}

/** Builds the automaton of an expression. Throws a SyntaxError if it is none. */
export function automatonOf(source: string, flags: string): Automaton {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({
    backreferences: 'unknown',
    assertions: 'parse',
    maxNodes: 100_000,
  })
  const builder = new Builder(maxCharacter)
  const whole = builder.alternation(expression.alternatives)
  for (const { at, isCertain } of whole.last) at.accepts = isCertain
  return { positions: builder.positions, search: flags.includes('y') ? undefined : builder.searchFor(whole), unknown: builder.unknown }
}

class Builder {
  readonly positions: Position[] = []
  readonly unknown: string[] = []
  readonly #all: CharSet
  readonly #none: CharSet

  constructor(maximum: number) {
    this.#all = CharSet.all(maximum)
    this.#none = CharSet.empty(maximum)
  }

  /** The loop before a match, if a match may begin behind any character. */
  searchFor({ first }: Fragment): Position | undefined {
    const entries = first.filter(({ before }) => !before.isEmpty)
    if (entries.length === 0) return undefined
    const search = this.#position(this.#all)
    link(search, search)
    for (const { at, before } of entries) {
      if (before.isAll) link(search, at)
      else {
        const behind = this.#position(before)
        link(search, behind)
        link(behind, at)
      }
    }
    return search
  }

  alternation(alternatives: readonly NoParent<Concatenation>[]): Fragment {
    const parts = alternatives.map(({ elements }) => this.#sequence(elements.map(element => () => this.#element(element))))
    return {
      first: parts.flatMap(part => part.first),
      last: parts.flatMap(part => part.last),
      empty: parts.map(part => part.empty).reduce((a, b) => (a && b ? a.union(b) : (a ?? b)), undefined),
      isCertain: parts.some(part => part.isCertain),
    }
  }

  #position(characters: CharSet): Position {
    const position = { characters, next: new Map(), accepts: false }
    this.positions.push(position)
    return position
  }

  #sequence(parts: readonly (() => Fragment)[]): Fragment {
    const first: First[] = []
    let last: Last[] = []
    let empty: CharSet | undefined = this.#all
    let isCertain = true
    for (const make of parts) {
      const part = make()
      connect(last, part.first)
      const before: CharSet | undefined = empty
      if (before) for (const entry of part.first) first.push({ at: entry.at, before: entry.before.intersect(before) })
      const skipped = part.empty
      const kept = skipped ? last.filter(({ at }) => !at.characters.isDisjointWith(skipped)) : []
      last = [...kept.map(({ at, isCertain }) => ({ at, isCertain: isCertain && part.isCertain })), ...part.last]
      empty = before && skipped ? before.intersect(skipped) : undefined
      isCertain &&= part.isCertain
    }
    return { first, last, empty, isCertain }
  }

  #element(element: Node): Fragment {
    switch (element.type) {
      case 'CharacterClass': {
        const at = this.#position(element.characters)
        return { first: [{ at, before: this.#all }], last: [{ at, isCertain: true }], empty: undefined, isCertain: false }
      }
      case 'Alternation':
        return this.alternation(element.alternatives)
      case 'Quantifier':
        return this.#repetition(element)
      case 'Assertion':
        return element.kind === 'ahead' ? this.#lookAhead(element.alternatives) : this.#lookBehind(element.alternatives, element.negate)
      case 'Unknown':
        this.unknown.push(element.id)
        return this.#nothing(this.#all)
    }
  }

  #nothing(empty: CharSet): Fragment {
    return { first: [], last: [], empty, isCertain: false }
  }

  #repetition({ alternatives, min, max }: NoParent<Quantifier>): Fragment {
    const body = (): Fragment => this.alternation(alternatives)
    const optional = (part: Fragment): Fragment => ({ ...part, empty: this.#all, isCertain: true })
    const loop = (): Fragment => {
      const part = body()
      connect(part.last, part.first)
      return part
    }
    const copies = (count: number): (() => Fragment)[] => Array.from({ length: count }, () => body)
    if (max === min && max <= MOST_COPIES) return this.#sequence(copies(max))
    if (max - min <= MOST_OPTIONAL && max <= MOST_COPIES) {
      const rest = (count: number): Fragment => optional(count === 1 ? body() : this.#sequence([body, () => rest(count - 1)]))
      return this.#sequence([...copies(min), () => rest(max - min)])
    }
    if (min === 0) return optional(loop())
    return this.#sequence([...copies(Math.min(min, MOST_COPIES) - 1), loop])
  }

  /** Reads what follows beside what the expression itself reads. */
  #lookAhead(alternatives: readonly NoParent<Concatenation>[]): Fragment {
    return { ...this.#nothing(this.#all), first: this.alternation(alternatives).first }
  }

  #lookBehind(alternatives: readonly NoParent<Concatenation>[], isNegative: boolean): Fragment {
    let behind = this.#none
    for (const { elements } of alternatives) {
      const [element] = elements
      if (elements.length === 1 && element?.type === 'CharacterClass') behind = behind.union(element.characters)
      else if (!(elements.length === 1 && element?.type === 'Assertion' && isTextStart(element))) {
        if (isUnbounded(elements)) this.unknown.push('look-behind of unbounded length')
        return this.#nothing(this.#all)
      }
    }
    return this.#nothing(isNegative ? behind.negate() : behind)
  }
}

const link = (from: Position, to: Position): void => void from.next.set(to, (from.next.get(to) ?? 0) + 1)

function connect(last: readonly Last[], first: readonly First[]): void {
  for (const { at: from } of last) for (const { at, before } of first) if (!from.characters.isDisjointWith(before)) link(from, at)
}

/** `^`: no character stands before. */
const isTextStart = ({ kind, negate, alternatives }: Extract<Node, { type: 'Assertion' }>): boolean => {
  const [element] = alternatives[0]?.elements ?? []
  return kind === 'behind' && negate && element?.type === 'CharacterClass' && element.characters.isAll
}

const isUnbounded = (elements: readonly Node[]): boolean =>
  elements.some(element => {
    if (element.type === 'CharacterClass' || element.type === 'Unknown') return false
    return (
      (element.type === 'Quantifier' && element.max === Number.POSITIVE_INFINITY) ||
      element.alternatives.some(inner => isUnbounded(inner.elements))
    )
  })
