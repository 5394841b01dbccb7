import { rawJson } from '../../codec/json-writer.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import { apply, type Edit, Editor } from './editor.ts'
import { isJsonText, nodeValue, readDocuments, type SourceDocument, SourceError, type SourceNode } from './nodes.ts'
import { patched } from './patched.ts'

/** What is to become of a node of a document: what differs between `before`, which is what its text is understood to say, and `after`. */
export interface Change {
  readonly node: SourceNode
  readonly before: Json
  readonly after: Json
}

export interface Rewritten {
  readonly text: string
  /** By document; those without changes have none. */
  readonly edits: readonly (readonly Edit[])[]
  /** Documents whose comments are lost: what changes in them is shared by anchors or merged, so they are written anew. By index. */
  readonly rewritten: readonly number[]
}

/** A text with changes made to its documents, by index. Comments, order and spelling of everything else stay. */
export function rewrite(text: string, documents: readonly SourceDocument[], changes: ReadonlyMap<number, readonly Change[]>): Rewritten {
  const wanted = new Map([...changes].map(([index, each]) => [index, wantedValue(documents[index], each)]))
  const edits = documents.map(({ root }, index) => {
    const own = changes.get(index) ?? []
    if (own.length === 0) return []
    if (isFlow(root) && isJsonText(text.slice(root.start, root.end)))
      return [{ start: root.start, end: root.end, text: jsonText(text, root, wanted.get(index) ?? null) }]
    const editor = new Editor(text, root)
    for (const { node, before, after } of own) editor.change(node, before, after)
    return withLineEnds(text, editor.edits)
  })
  const read = tryRead(apply(text, edits.flat()))
  const rewritten: number[] = []
  for (const [index, { root }] of documents.entries()) {
    const value = wanted.get(index)
    if (value === undefined || (read?.length === documents.length && deepEqual(read[index]?.value, value))) continue
    edits[index] = [{ start: root.start, end: root.end, text: isFlow(root) ? jsonText(text, root, value) : yamlBytes(value).toString().trimEnd() }]
    if (!isFlow(root)) rewritten.push(index)
  }
  return { text: apply(text, edits.flat()), edits, rewritten }
}

/** New lines end as those of the text do. */
const withLineEnds = (text: string, edits: readonly Edit[]): readonly Edit[] =>
  text.includes('\r\n') ? edits.map(edit => ({ ...edit, text: edit.text.replace(/\r?\n/g, '\r\n') })) : edits

const wantedValue = (document: SourceDocument | undefined, changes: readonly Change[]): Json =>
  document === undefined ? null : nodeValue(document.root, new Map(changes.map(({ node, before, after }) => [node, patched(nodeValue(node), before, after)])))

const isFlow = (root: SourceNode): boolean => root.kind !== 'scalar' && root.kind !== 'alias' && root.flow

/** Indented as the text is, or in one line where that is. */
function jsonText(text: string, root: SourceNode, value: Json): string {
  const indent = /^[[{][ \t]*\r?\n([ \t]+)/.exec(text.slice(root.start, root.end))?.[1]
  return indent === undefined ? rawJson(value) : indented(value, indent)
}

/** As JSON.stringify writes it, with integers of any length. `line`: what ends a line, with the indentation of the value. */
function indented(value: Json, indent: string, line = '\n'): string {
  if (typeof value !== 'object' || value === null) return rawJson(value)
  const within = line + indent
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(item => within + indented(item, indent, within)).join(',')}${line}]`
  const members = Object.entries(value).map(([key, member]) => `${within}${rawJson(key)}: ${indented(member, indent, within)}`)
  return members.length === 0 ? '{}' : `{${members.join(',')}${line}}`
}

function tryRead(text: string): SourceDocument[] | undefined {
  try {
    return readDocuments(text)
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}
