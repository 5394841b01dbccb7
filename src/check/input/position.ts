import type { MapEntry, MapNode, SourceNode } from '../../upgrade/source/nodes.ts'
import type { CheckPosition } from '../types.ts'

/** Range of a text. The end is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A text of which positions are printed. */
export class SourceText {
  /** Path as it was passed, `-` for standard input. */
  readonly name: string
  readonly text: string
  /** Offsets at which lines begin. Computed on first use. */
  #starts: readonly number[] | undefined

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
  }

  /** Returns the number of the line that contains an offset, from 1. */
  lineAt(offset: number): number {
    const starts = this.#lineStarts()
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  /** Returns the offset at which a line begins. Lines begin with 1. */
  lineStart(number: number): number {
    return this.#lineStarts()[number - 1] ?? this.text.length
  }

  /** Returns a line without its end. */
  line(number: number): string {
    const start = this.lineStart(number)
    const end = this.text.indexOf('\n', start)
    return this.text.slice(start, end < 0 ? undefined : end).replace(/\r$/, '')
  }

  /** Converts a range to lines and columns. */
  position({ start, end }: TextRange, source?: string): CheckPosition {
    const [line, endLine] = [this.lineAt(start), this.lineAt(Math.max(start, end))]
    const column = (number: number, offset: number): number => Math.max(offset - (this.#lineStarts()[number - 1] ?? 0), 0) + 1
    return {
      file: this.name,
      line,
      column: column(line, start),
      endLine,
      endColumn: column(endLine, Math.max(start, end)),
      ...(source !== undefined && { source }),
    }
  }

  #lineStarts(): readonly number[] {
    // A byte order mark is no character of the first line.
    this.#starts ??= [this.text.startsWith('\ufeff') ? 1 : 0, ...Array.from(this.text.matchAll(/\n/g), ({ index }) => index + 1)]
    return this.#starts
  }
}

/** Where a field path leads in a text. */
export interface FieldLocation {
  /**
   * Range of the key of a member, or of the beginning of a list item. If the field is absent, that of its nearest
   * parent.
   */
  readonly range: TextRange
  readonly node: SourceNode
  /** Path that was followed, with indices. */
  readonly path: string
  /** Whether the whole path is in the text. */
  readonly isExact: boolean
}

/** Conditions of a search. */
interface Search {
  /** Optional. Whether a node at the end of the path may be meant. */
  readonly accepts?: ((node: SourceNode) => boolean) | undefined
}

/**
 * Finds a field in a document. Accepts the paths of validation errors (`spec.ports[0].name`, `data[a.key]`), of applies
 * (`.spec.ports[port=80].name`), and of Go's decoder, which omits indices and keys of maps (`spec.ports.name`): the
 * first node that `accepts` the search is meant then.
 */
export function locateField(root: SourceNode, path: string, search: Search = {}): FieldLocation {
  return walk({ range: headOf(root), node: root, path: '', isExact: path === '' }, path.startsWith('.') ? path.slice(1) : path, search)
}

/** Finds the node at a JSON pointer. */
export function locatePointer(root: SourceNode, pointer: string): FieldLocation {
  let at: FieldLocation = { range: headOf(root), node: root, path: '', isExact: true }
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const node = targetOf(at.node)
    const pair = node.kind === 'map' ? node.pairs.findLast(each => each.key === key) : undefined
    const item = node.kind === 'list' ? node.items[Number(key)] : undefined
    if (pair) at = memberAt(at, pair)
    else if (item) at = itemLocation(at, item, Number(key))
    else return { ...at, isExact: false }
  }
  return at
}

const memberAt = ({ path }: FieldLocation, { key, keyStart, keyEnd, value }: MapEntry): FieldLocation => ({
  range: { start: keyStart, end: keyEnd },
  node: value,
  path: /^[\w-]+$/.test(key) ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`,
  isExact: true,
})

const itemLocation = ({ path }: FieldLocation, item: SourceNode, index: number): FieldLocation => ({
  range: headOf(item),
  node: item,
  path: `${path}[${index}]`,
  isExact: true,
})

/** Yields the scalars of a document, in the order of the text. Members of aliases are left out. */
export function* eachScalar(root: SourceNode): Generator<FieldLocation> {
  const visit = function* (at: FieldLocation): Generator<FieldLocation> {
    const { node } = at
    if (node.kind === 'scalar') yield at
    else if (node.kind === 'list') for (const [i, item] of node.items.entries()) yield* visit(itemLocation(at, item, i))
    else if (node.kind === 'map') for (const pair of node.pairs) yield* visit(memberAt(at, pair))
  }
  yield* visit({ range: headOf(root), node: root, path: '', isExact: true })
}

/** Longest range that stands for a node without a key. */
const HEAD = 80

/** Beginning of a node: its first key if it is a map. */
export function headOf(node: SourceNode): TextRange {
  const first = node.kind === 'map' ? node.pairs[0] : undefined
  return first ? { start: first.keyStart, end: first.keyEnd } : { start: node.start, end: Math.min(node.end, node.start + HEAD) }
}

const targetOf = (node: SourceNode): SourceNode => (node.kind === 'alias' ? targetOf(node.target) : node)

function walk(at: FieldLocation, rest: string, search: Search): FieldLocation {
  const node = targetOf(at.node)
  if (rest === '') return accepted(at, node, search)
  if (node.kind === 'map') return walkMap(at, node, rest, search)
  if (node.kind !== 'list') return { ...at, isExact: false }
  const [bracket, selector = ''] = /^\[([^\]]*)\]\.?/.exec(rest) ?? []
  if (bracket !== undefined) {
    const index = itemIndex(node.items, selector)
    const item = node.items[index]
    return item ? walk(itemLocation(at, item, index), rest.slice(bracket.length), search) : { ...at, isExact: false }
  }
  return firstExact(at, node.items.entries(), ([i, item]) => walk(itemLocation(at, item, i), rest, search))
}

/** Ends a search at a node, or at one of its children if the node itself is not meant. */
function accepted(at: FieldLocation, node: SourceNode, search: Search): FieldLocation {
  if (search.accepts === undefined || search.accepts(node)) return { ...at, isExact: true }
  if (node.kind === 'list')
    return firstExact(at, node.items.entries(), ([i, item]) => accepted(itemLocation(at, item, i), targetOf(item), search))
  if (node.kind === 'map') return firstExact(at, node.pairs, pair => accepted(memberAt(at, pair), targetOf(pair.value), search))
  return { ...at, isExact: false }
}

function firstExact<T>(at: FieldLocation, candidates: Iterable<T>, locate: (candidate: T) => FieldLocation): FieldLocation {
  for (const candidate of candidates) {
    const found = locate(candidate)
    if (found.isExact) return found
  }
  return { ...at, isExact: false }
}

/** Follows the longest key with which the path continues, since keys may contain dots. */
function walkMap(at: FieldLocation, node: MapNode, rest: string, search: Search): FieldLocation {
  let best: { readonly key: string; readonly left: string } | undefined
  for (const { key } of node.pairs) {
    const left = afterKey(rest, key)
    if (left !== undefined && (best === undefined || key.length > best.key.length)) best = { key, left }
  }
  if (best === undefined) return firstExact(at, node.merged, merged => walk({ ...at, node: merged }, rest, search))
  const { key, left } = best
  const pair = node.pairs.findLast(each => each.key === key)
  return pair ? walk(memberAt(at, pair), left, search) : at
}

/** Returns the path after a key. Undefined if the path does not continue with it. */
function afterKey(rest: string, key: string): string | undefined {
  for (const written of [key, `[${key}]`, `["${key}"]`]) {
    if (!rest.startsWith(written)) continue
    const left = rest.slice(written.length)
    if (left === '' || left.startsWith('[')) return left
    if (left.startsWith('.')) return left.slice(1)
  }
  return undefined
}

/**
 * Returns the index of an item by its index, by its keys (`port=80,protocol="TCP"`), or by its value (`="a"`). -1 if
 * there is none.
 */
function itemIndex(items: readonly SourceNode[], selector: string): number {
  if (/^\d+$/.test(selector)) return Number(selector)
  const wanted = selector.split(',').map(term => {
    const equals = term.indexOf('=')
    return { key: term.slice(0, equals), value: term.slice(equals + 1).replace(/^"|"$/g, '') }
  })
  return items.findIndex(item => {
    const node = targetOf(item)
    return wanted.every(({ key, value }) => {
      const scalar = key === '' ? node : node.kind === 'map' ? node.pairs.findLast(pair => pair.key === key)?.value : undefined
      return scalar?.kind === 'scalar' ? String(scalar.value) === value : key === 'protocol' && value === 'TCP'
    })
  })
}
