import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isJsonObject } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import type { SourceNode } from './nodes.ts'

/** Style in which values are written into a document. */
export interface RenderStyle {
  /** Whether lists below a key are indented by two. */
  readonly indentedLists: boolean
  /**
   * Returns the text of a collection that the document already has, so that its comments and order move with it. `key`
   * is the key before it, if any.
   */
  readonly reused: (value: Json, key?: string) => ReusedText | undefined
}

/** A text of the document, which began at `column`. */
export interface ReusedText {
  readonly text: string
  readonly column: number
  /** Optional. Comment lines above its key, without indentation. */
  readonly comments?: readonly string[]
  /** Optional. Comment lines between its key and its first line. */
  readonly leading?: readonly string[]
}

/** Prints a value in block style. The first line is not indented, others begin at `column`. There is no line end. */
export function renderBlock(value: Json, column: number, style: RenderStyle): string {
  if (!isFilled(value)) return renderScalar(value, column)
  const found = style.reused(value)
  return found ? reindent(found.text, found.column, column) : renderNew(value, column, style)
}

function renderNew(value: Json, column: number, style: RenderStyle): string {
  if (Array.isArray(value))
    return value.map(item => `- ${isFilled(item) ? renderBlock(item, column + 2, style) : renderScalar(item, column)}`).join(lineAt(column))
  return isJsonObject(value) ? renderPairs(value, column, style) : renderScalar(value, column)
}

/** Prints the members of an object, each beginning on its own line. */
export const renderPairs = (object: JsonObject, column: number, style: RenderStyle): string =>
  Object.entries(object)
    .map(([key, value]) => {
      const found = isFilled(value) ? style.reused(value, key) : undefined
      const comments = (found?.comments ?? []).map(comment => `${comment}${lineAt(column)}`).join('')
      const inner = innerColumn(value, column, style)
      const leading = (found?.leading ?? []).map(comment => `${lineAt(inner)}${comment}`).join('')
      const member = found ? `${leading}${lineAt(inner)}${reindent(found.text, found.column, inner)}` : renderMember(value, column, style)
      return `${comments}${renderScalar(key, column)}:${member}`
    })
    .join(lineAt(column))

/** Prints what follows `key:` for a key at `column`, including the space or line end. */
export function renderMember(value: Json, column: number, style: RenderStyle): string {
  if (!isFilled(value)) return ` ${renderScalar(value, column)}`
  const inner = innerColumn(value, column, style)
  return `${lineAt(inner)}${renderBlock(value, inner, style)}`
}

const innerColumn = (value: Json, column: number, style: RenderStyle): number =>
  Array.isArray(value) && !style.indentedLists ? column : column + 2

/** Reports whether a value is a non-empty collection. Empty ones are printed like scalars. */
const isFilled = (value: Json): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Prints flow style on one line: `{ name: web, port: 80 }`. */
export function renderFlow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(renderFlow).join(', ')}]`
  if (!isJsonObject(value)) return typeof value === 'string' ? flowText(value) : goJson(value)
  const pairs = Object.entries(value).map(([key, member]) => `${flowText(key)}: ${renderFlow(member)}`)
  return pairs.length === 0 ? '{}' : `{${pairs.join(', ')}}`
}

/** Moves the lines of a block from one column to another. The first line is not indented. */
export function reindent(text: string, from: number, to: number): string {
  if (from === to) return text
  const [first = '', ...rest] = text.split('\n')
  return [
    first,
    ...rest.map(line =>
      line.trim() === '' ? line : `${' '.repeat(to)}${line.slice(Math.min(from, line.length - line.trimStart().length))}`,
    ),
  ].join('\n')
}

/** Returns the column of an offset in its line. */
export const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1)

/** Reports whether lists below keys are indented in a document, judging by the first one. */
export function listsAreIndented(text: string, root: SourceNode): boolean {
  const pending: SourceNode[] = [root]
  for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
    if (node.kind === 'list') pending.push(...node.items)
    if (node.kind !== 'map' || node.flow) continue
    for (const { keyStart, value } of node.pairs) {
      if (value.kind === 'list' && !value.flow) return columnOf(text, value.start) > columnOf(text, keyStart)
      pending.push(value)
    }
  }
  return false
}

const lineAt = (column: number): string => `\n${' '.repeat(column)}`

const renderScalar = (value: Json, column: number): string => {
  const text = yamlBytes(value).toString().trimEnd()
  return text.includes('\n')
    ? text
        .split('\n')
        .map((line, i) => (i === 0 || line === '' ? line : `${' '.repeat(column)}${line}`))
        .join('\n')
    : text
}

/** Quotes a text that would otherwise have another meaning within brackets. */
function flowText(text: string): string {
  if (/[,[\]{}"'\n]|:(?=\s|$)|(?:^|\s)#|^\s|\s$/.test(text) || text === '') return JSON.stringify(text)
  return yamlBytes(text).toString().trimEnd()
}
