import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { deepEqual, ownMember } from '../../meta/equal.ts'
import { type MapEntry, type MapNode, nodeValue, type SourceNode } from './nodes.ts'
import { type KeyChanges, keyChanges, patched } from './patched.ts'
import {
  columnOf,
  listsAreIndented,
  type RenderStyle,
  type ReusedText,
  renderBlock,
  renderFlow,
  renderMember,
  renderPairs,
} from './render.ts'

/** Replaces the text from `start` to `end`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits to a text. They must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = ''
  let at = 0
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    out += text.slice(at, start) + replacement
    at = Math.max(at, end)
  }
  return out + text.slice(at)
}

/** Values whose JSON is shorter are written anew instead of being reused from the text. */
const WORTH_REUSE = 12

/** Finds the smallest edits that change values of one document. */
export class Editor {
  readonly edits: Edit[] = []
  readonly #text: string
  readonly #root: SourceNode
  readonly #style: RenderStyle
  /** Nodes of the document by the JSON of their value. Created on first use. */
  #known: ReadonlyMap<string, EditedNode> | undefined
  /** Members in removed members, by key. They may be reused elsewhere, with changes. */
  readonly #moved = new Set<MapEntry>()
  /** The member that is being replaced. Comments above it are kept. */
  #replaced: MapEntry | undefined
  readonly #moving = new Map<string, { readonly pair: MapEntry; readonly before: Json }>()

  constructor(text: string, root: SourceNode) {
    this.#text = text
    this.#root = root
    this.#style = { indentedLists: listsAreIndented(text, root), reused: (value, key) => this.#reused(value, key) }
  }

  /** Changes a node where `before` and `after` differ. */
  change(node: SourceNode, before: Json, after: Json): void {
    if (deepEqual(before, after)) return
    if (
      node.kind === 'map' &&
      isJsonObject(before) &&
      isJsonObject(after) &&
      (node.flow ? this.#changeFlow : this.#changeMap).call(this, node, before, after)
    )
      return
    if (
      node.kind === 'list' &&
      Array.isArray(before) &&
      Array.isArray(after) &&
      node.items.length === before.length &&
      before.length === after.length
    )
      for (const [i, item] of node.items.entries()) this.change(item, before[i] ?? null, after[i] ?? null)
    else this.#replace(node, patched(nodeValue(node), before, after))
  }

  /** Changes a block map. Returns false if it has to be written anew as a whole. */
  #changeMap(node: MapNode, before: JsonObject, after: JsonObject): boolean {
    const value = nodeValue(node)
    if (!isJsonObject(value)) return false
    const { removed, added, renamed } = keyChanges(value, before, after)
    const own = new Map(node.pairs.map(pair => [pair.key, pair]))
    const isShared = [...removed, ...renamed.keys()].some(key => !own.has(key)) || own.size !== node.pairs.length
    if (isShared || (removed.length === own.size && added.length === 0)) return false
    for (const pair of node.pairs) {
      const name = renamed.get(pair.key) ?? pair.key
      if (name !== pair.key) this.edits.push({ start: pair.keyStart, end: pair.keyEnd, text: name })
      if (Object.hasOwn(after, name)) this.#changePair(pair, ownMember(before, pair.key), after[name] ?? null)
    }
    this.#exchange(
      { node, before },
      removed.flatMap(key => own.get(key) ?? []),
      Object.fromEntries(added.map(key => [key, after[key] ?? null])),
    )
    return true
  }

  /** Changes a flow map. */
  #changeFlow(node: MapNode, before: JsonObject, after: JsonObject): boolean {
    const { pairs } = node
    const changes = keyChanges(objectIn(nodeValue(node)), before, after)
    const edits = flowMemberEdits(this.#text, node, changes, after)
    const isPlain = pairs.every(({ value }) => value.end > value.start && value.kind !== 'alias') && node.merged.length === 0
    if (edits === undefined || !isPlain) return false
    this.edits.push(...edits)
    for (const { key, value } of pairs) {
      const name = changes.renamed.get(key) ?? key
      const old = ownMember(before, key)
      if (Object.hasOwn(after, name))
        this.change(value, old ?? null, old === undefined ? patched(nodeValue(value), old, after[name] ?? null) : (after[name] ?? null))
    }
    return true
  }

  /** Inserts new members in place of the first removed one, or after the last member if none is removed. */
  #exchange({ node, before }: { readonly node: MapNode; readonly before: JsonObject }, gone: readonly MapEntry[], news: JsonObject): void {
    const column = columnOf(this.#text, node.pairs[0]?.keyStart ?? node.start)
    const isAnyNew = Object.keys(news).length > 0
    for (const pair of gone) this.#note(pair, before[pair.key])
    const [first, ...others] = gone
    this.#replaced = first
    const text = renderPairs(news, column, this.#style)
    if (isAnyNew && first) this.edits.push({ start: first.keyStart, end: first.value.end, text })
    else if (isAnyNew) this.#insert(node, `\n${' '.repeat(column)}${text}`)
    for (const pair of isAnyNew ? others : gone) this.#remove(node, pair)
  }

  /**
   * Keeps the notation of the value if that is possible: a scalar is replaced alone, a collection is changed within.
   * Otherwise the text behind the colon is written anew.
   */
  #changePair({ keyStart, keyEnd, value }: MapEntry, before: Json | undefined, after: Json): void {
    if (before !== undefined && deepEqual(before, after)) return
    const wanted = patched(nodeValue(value), before, after)
    const isCollection = (json: Json): boolean => typeof json === 'object' && json !== null && Object.keys(json).length > 0
    const inPlace = (value.kind === 'map' || value.kind === 'list') && isCollection(wanted)
    if (inPlace || (!isCollection(wanted) && value.kind === 'scalar' && value.end > value.start)) this.change(value, before ?? null, after)
    else {
      const colon = this.#text.indexOf(':', keyEnd) + 1
      this.edits.push({
        start: colon,
        end: Math.max(colon, value.end),
        text: renderMember(wanted, columnOf(this.#text, keyStart), this.#style),
      })
    }
  }

  #replace(node: SourceNode, value: Json): void {
    const isFlow = (node.kind === 'map' || node.kind === 'list') && node.flow
    const quoted = node.kind === 'scalar' && typeof value === 'string' ? quotedAs(this.#text.charAt(node.start), value) : undefined
    const text = quoted ?? (isFlow ? renderFlow(value) : renderBlock(value, columnOf(this.#text, node.start), this.#style))
    this.edits.push({ start: node.start, end: node.end, text })
  }

  /** Inserts after the last member and the comment at the end of its line. */
  #insert(node: MapNode, text: string): void {
    const at = this.#lineEnd(node.pairs.at(-1)?.value.end ?? node.end)
    this.edits.push({ start: at, end: at, text })
  }

  /** Removes the lines of a member. If it follows the dash of a list item, removes the text up to the next member. */
  #remove(node: MapNode, pair: MapEntry): void {
    const index = node.pairs.indexOf(pair)
    const lineStart = this.#text.lastIndexOf('\n', pair.keyStart - 1) + 1
    const next = node.pairs[index + 1]
    if (this.#text.slice(lineStart, pair.keyStart).trim() === '') {
      const from = this.#moved.has(pair) ? this.#commentsStart(pair.keyStart) : lineStart
      const end = this.#lineEnd(pair.value.end)
      // Includes the line end before it, since something may be appended.
      this.edits.push(from > 0 ? { start: from - 1, end, text: '' } : { start: 0, end: Math.min(end + 1, this.#text.length), text: '' })
    } else if (next) this.edits.push({ start: pair.keyStart, end: next.keyStart, text: '' })
    else this.edits.push({ start: pair.keyStart, end: pair.value.end, text: '{}' })
  }

  #lineEnd(offset: number): number {
    const end = this.#text.indexOf('\n', offset)
    return end < 0 ? this.#text.length : end
  }

  /**
   * Returns text of the document with the same value, so that its comments and notation move with it. Undefined if
   * there is none, or it is too short to be worth it.
   */
  #reused(value: Json, key: string | undefined): ReusedText | undefined {
    const moving = key === undefined ? undefined : this.#moving.get(key)
    if (moving) return this.#movedText(moving.pair, moving.before, value)
    const json = goJson(value)
    if (json.length < WORTH_REUSE) return undefined
    this.#known ??= nodesByValue(this.#root)
    const known = this.#known.get(json)
    if (known === undefined) return undefined
    const { node, keyEnd = node.start } = known
    return {
      text: this.#text.slice(node.start, node.end),
      column: columnOf(this.#text, node.start),
      leading: commentLines(this.#text.slice(keyEnd, node.start)),
    }
  }

  /** Returns the text of a moved member, with its own changes applied. */
  #movedText(pair: MapEntry, before: Json, after: Json): ReusedText | undefined {
    const { keyStart, keyEnd, value: node } = pair
    if ((node.kind !== 'map' && node.kind !== 'list') || node.flow || Array.isArray(before) !== Array.isArray(after)) return undefined
    const inner = new Editor(this.#text, this.#root)
    inner.change(node, before, after)
    const edits = inner.edits.map(({ start, end, text }) => ({ start: start - node.start, end: end - node.start, text }))
    if (edits.some(({ start, end }) => start < 0 || end > node.end - node.start + 1)) return undefined
    this.#moved.add(pair)
    const stays = pair === this.#replaced
    return {
      text: applyEdits(this.#text.slice(node.start, node.end), edits),
      column: columnOf(this.#text, node.start),
      comments: stays ? [] : commentLines(this.#text.slice(this.#commentsStart(keyStart), keyStart)),
      leading: commentLines(this.#text.slice(keyEnd, node.start)),
    }
  }

  /** Returns the start of the comment lines directly above a key, or of the key's line if there are none. */
  #commentsStart(keyStart: number): number {
    let start = this.#text.lastIndexOf('\n', keyStart - 1) + 1
    if (this.#text.slice(start, keyStart).trim() !== '') return keyStart
    while (start > 0) {
      const above = this.#text.lastIndexOf('\n', start - 2) + 1
      if (!this.#text.slice(above, start).trim().startsWith('#')) break
      start = above
    }
    return start
  }

  /** Records a removed member, and collections in it. Outer members take precedence. */
  #note(pair: MapEntry, before: Json | undefined): void {
    if (before === undefined || typeof before !== 'object' || before === null) return
    if (!this.#moving.has(pair.key)) this.#moving.set(pair.key, { pair, before })
    if (pair.value.kind === 'map' && isJsonObject(before))
      for (const inner of pair.value.pairs.slice(0, 20)) this.#note(inner, before[inner.key])
  }
}

/** Returns the edits for keys of a flow map, or undefined if it has to be written as a whole. */
function flowMemberEdits(text: string, { pairs }: MapNode, { removed, added, renamed }: KeyChanges, after: JsonObject): Edit[] | undefined {
  const gone = pairs.filter(({ key }) => removed.includes(key))
  const last = pairs.at(-1)
  if (last === undefined || gone.length < removed.length || gone.length === pairs.length || (gone.length > 1 && gone.includes(last)))
    return undefined
  const news = added.map(key => renderFlow({ [key]: after[key] ?? null }).slice(1, -1)).join(', ')
  const [first] = gone
  const isReplaced = first !== undefined && news !== ''
  const edits = pairs
    .filter(({ key }) => renamed.has(key))
    .map(({ key, keyStart, keyEnd }) => ({
      start: keyStart,
      end: keyEnd,
      text: quotedAs(text.charAt(keyStart), renamed.get(key) ?? key) ?? renamed.get(key) ?? key,
    }))
  if (isReplaced) edits.push({ start: first.keyStart, end: first.value.end, text: news })
  else if (news !== '') edits.push({ start: last.value.end, end: last.value.end, text: `, ${news}` })
  for (const pair of isReplaced ? gone.slice(1) : gone) {
    const i = pairs.indexOf(pair)
    const next = pairs[i + 1]
    edits.push(
      next
        ? { start: pair.keyStart, end: next.keyStart, text: '' }
        : { start: pairs[i - 1]?.value.end ?? pair.keyStart, end: pair.value.end, text: '' },
    )
  }
  return edits
}

/** Quotes a text like its predecessor. Undefined if that has no quotes. */
function quotedAs(quote: string, value: string): string | undefined {
  if (quote === '"') return JSON.stringify(value)
  return quote === "'" && !value.includes('\n') ? `'${value.replaceAll("'", "''")}'` : undefined
}

const commentLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith('#'))

/** A collection, and the end of its key. */
interface EditedNode {
  readonly node: SourceNode
  readonly keyEnd?: number
}

/** Returns block collections by the JSON of their value. */
function nodesByValue(root: SourceNode): ReadonlyMap<string, EditedNode> {
  const found = new Map<string, EditedNode>()
  const visit = (known: EditedNode): void => {
    const { node } = known
    if (node.kind === 'scalar' || node.kind === 'alias') return
    if (!node.flow) found.set(goJson(nodeValue(node)), known)
    if (node.kind === 'list') for (const item of node.items) visit({ node: item })
    else for (const { value, keyEnd } of node.pairs) visit({ node: value, keyEnd })
  }
  visit({ node: root })
  return found
}
