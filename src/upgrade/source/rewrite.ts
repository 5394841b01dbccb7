import type { Json } from '../../api/meta/object.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { deepEqual } from '../../meta/equal.ts'
import { rawJson } from '../../schema/json-text.ts'
import { applyEdits, type Edit, Editor } from './editor.ts'
import { isJsonText, nodeValue, readDocuments, type SourceDocument, SourceError, type SourceNode } from './nodes.ts'
import { patched } from './patched.ts'

/** A change of a node from `before`, the value that its text is understood as, to `after`. */
export interface NodeChange {
  readonly node: SourceNode
  readonly before: Json
  readonly after: Json
}

/** Result of changing a text. */
export interface Rewritten {
  readonly text: string
  /** Edits by document index. Empty for documents without changes. */
  readonly edits: readonly (readonly Edit[])[]
  /**
   * Indices of documents that were written anew and lost their comments, because the changed parts are shared by
   * anchors or merged.
   */
  readonly rewritten: readonly number[]
}

/** Applies changes to the documents of a text, by index. Comments, order and notation of everything else are kept. */
export function rewrite(
  text: string,
  documents: readonly SourceDocument[],
  changes: ReadonlyMap<number, readonly NodeChange[]>,
): Rewritten {
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
  const read = tryRead(applyEdits(text, edits.flat()))
  const rewritten: number[] = []
  for (const [index, { root }] of documents.entries()) {
    const value = wanted.get(index)
    if (value === undefined || (read?.length === documents.length && deepEqual(read[index]?.value, value))) continue
    edits[index] = [
      { start: root.start, end: root.end, text: isFlow(root) ? jsonText(text, root, value) : yamlBytes(value).toString().trimEnd() },
    ]
    if (!isFlow(root)) rewritten.push(index)
  }
  return { text: applyEdits(text, edits.flat()), edits, rewritten }
}

/** New lines have the line ends of the text. */
const withLineEnds = (text: string, edits: readonly Edit[]): readonly Edit[] =>
  text.includes('\r\n') ? edits.map(edit => ({ ...edit, text: edit.text.replace(/\r?\n/g, '\r\n') })) : edits

const wantedValue = (document: SourceDocument | undefined, changes: readonly NodeChange[]): Json =>
  document === undefined
    ? null
    : nodeValue(document.root, {
        instead: new Map(changes.map(({ node, before, after }) => [node, patched(nodeValue(node), before, after)])),
      })

const isFlow = (root: SourceNode): boolean => root.kind !== 'scalar' && root.kind !== 'alias' && root.flow

/** Prints JSON with the indentation of the text, or on one line like the text. */
function jsonText(text: string, root: SourceNode, value: Json): string {
  const indent = /^[[{][ \t]*\r?\n([ \t]+)/.exec(text.slice(root.start, root.end))?.[1]
  return indent === undefined ? rawJson(value) : indented(value, indent)
}

/**
 * Prints a value like JSON.stringify, with integers of any length. `line` is the line end followed by the indentation
 * of the value.
 */
function indented(value: Json, indent: string, line = '\n'): string {
  if (typeof value !== 'object' || value === null) return rawJson(value)
  const within = line + indent
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.map(item => within + indented(item, indent, within)).join(',')}${line}]`
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
