import { type Automaton, automatonOf, type Position } from './regexp-automaton.ts'

/**
 * Says why matching may take more than linear time; undefined if it can't.
 *
 * A backtracking matcher tries every run of the automaton if none matches. The number of runs over a text of n
 * characters is bounded by a constant, and the time is linear, unless the automaton has states p and q (which may be
 * the same) and a text v that leads from p to p, from p to q and from q to q: then v repeated has as many runs as there
 * are places to change from p to q. The state p may be the search for the start of a match. Source: A. Weber and H.
 * Seidl, On the degree of ambiguity of finite automata (1991).
 *
 * It is on the safe side: it does not ask whether a text can fail behind v, except if nothing has to follow q. Wide
 * counted repetitions are taken for loops.
 */
export function growthOf(source: string, flags: string): string | undefined {
  const automaton = automatonOf(source, flags)
  if (automaton.unknown.length > 0) return `cannot be analysed: ${automaton.unknown.join(', ')}`
  const graph = new Graph(automaton)
  for (const loop of graph.loops) {
    const twice = loop.find(at => graph.followers(at).some(to => (at.next.get(to) ?? 0) > 1 && loop.includes(to)))
    if (twice) return `is exponential: a repetition of a repetition reads ${shown(twice)} in several ways`
  }
  for (const inner of graph.loops) {
    for (const to of inner) {
      for (const outer of graph.loops) {
        for (const from of outer) {
          if (from === to || !graph.isAmbiguous(from, to)) continue
          if (from === automaton.search) return `is quadratic: a match may begin at each ${shown(to)} that is repeated`
          return `is ${inner === outer ? 'exponential' : 'quadratic'}: two repetitions share ${shown(to)}`
        }
      }
    }
  }
  return undefined
}

const shown = ({ characters }: Position): string => {
  const text = characters.toUnicodeString()
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

class Graph {
  /** Strongly connected components with a cycle. */
  readonly loops: readonly (readonly Position[])[]
  readonly #masks = new Map<Position, bigint>()
  readonly #loopOf = new Map<Position, ReadonlySet<Position>>()
  readonly #reached = new Map<Position, ReadonlySet<Position>>()

  constructor({ positions }: Automaton) {
    this.#partition(positions)
    for (const at of positions) this.#reached.set(at, this.#reachableFrom(at))
    const loops: Position[][] = []
    for (const at of positions) {
      if (this.#loopOf.has(at) || !this.#reaches(at, at)) continue
      const loop = positions.filter(other => this.#reaches(at, other) && this.#reaches(other, at))
      const members = new Set(loop)
      for (const member of loop) this.#loopOf.set(member, members)
      loops.push(loop)
    }
    this.loops = loops
  }

  followers(at: Position): Position[] {
    return [...at.next.keys()]
  }

  /** Whether some text leads from p to p, from p to q and from q to q. */
  isAmbiguous(p: Position, q: Position): boolean {
    if (!this.#reaches(p, q)) return false
    const seen = new Map<Position, Map<Position, Set<Position>>>()
    const waiting: [Position, Position, Position][] = [[p, p, q]]
    for (let triple = waiting.pop(); triple; triple = waiting.pop()) {
      const [a, b, c] = triple
      for (const nextA of a.next.keys()) {
        if (!this.#loopOf.get(p)?.has(nextA)) continue
        for (const nextC of c.next.keys()) {
          const common = this.#mask(nextA) & this.#mask(nextC)
          if (common === 0n || nextC.accepts || !this.#loopOf.get(q)?.has(nextC)) continue
          for (const nextB of b.next.keys()) {
            if ((common & this.#mask(nextB)) === 0n || !(nextB === q || this.#reaches(nextB, q))) continue
            if (nextA === p && nextB === q && nextC === q) return true
            if (isNew(seen, nextA, nextB, nextC)) waiting.push([nextA, nextB, nextC])
          }
        }
      }
    }
    return false
  }

  #mask(at: Position): bigint {
    return this.#masks.get(at) ?? 0n
  }

  #reaches(from: Position, to: Position): boolean {
    return this.#reached.get(from)?.has(to) ?? false
  }

  #reachableFrom(start: Position): Set<Position> {
    const reached = new Set<Position>()
    const waiting = [start]
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      for (const to of at.next.keys()) {
        if (reached.has(to)) continue
        reached.add(to)
        waiting.push(to)
      }
    }
    return reached
  }

  /** Gives each position a bit for each range of characters, so that an intersection is one operation. */
  #partition(positions: readonly Position[]): void {
    const borders = new Set<number>()
    for (const { characters } of positions) {
      for (const { min, max } of characters.ranges) borders.add(min).add(max + 1)
    }
    const kinds = new Map<string, number>()
    for (const border of borders) {
      const members = positions.filter(({ characters }) => border <= characters.maximum && characters.has(border))
      if (members.length === 0) continue
      const kind = members.map(member => positions.indexOf(member)).join()
      if (kinds.has(kind)) continue
      const bit = 1n << BigInt(kinds.size)
      kinds.set(kind, kinds.size)
      for (const member of members) this.#masks.set(member, this.#mask(member) | bit)
    }
  }
}

function isNew(seen: Map<Position, Map<Position, Set<Position>>>, a: Position, b: Position, c: Position): boolean {
  const first = seen.get(a) ?? new Map<Position, Set<Position>>()
  seen.set(a, first)
  const second = first.get(b) ?? new Set<Position>()
  first.set(b, second)
  if (second.has(c)) return false
  second.add(c)
  return true
}
