import { dirname, resolve } from 'node:path'
import { readDocuments, SourceError, type SourceNode } from '../../upgrade/source/nodes.ts'
import type { CheckPosition } from '../types.ts'
import { type BuiltStep, followSteps, memberNode, memberText, type SourceLocation } from './built-path.ts'
import type { SourceText, TextRange } from './position.ts'

/** Documents of a file, or of a text within one. */
export interface SourceFile {
  readonly roots: readonly SourceNode[]
  position(range: TextRange): CheckPosition
}

/** A kustomization file. */
export interface KustomizationFile extends SourceFile {
  /** Absolute path. */
  readonly path: string
  readonly text: SourceText
}

/** A patch of a kustomization. */
export interface Patch {
  readonly file: SourceFile
  readonly target: SourceNode | undefined
}

/** Returns the patches of a kustomization, in the order in which they are applied. `read`: reads a file. */
export function patchesOf(kustomization: KustomizationFile, read: (path: string) => SourceFile | undefined): Patch[] {
  const [root] = kustomization.roots
  const items = (key: string): readonly SourceNode[] => {
    const list = memberNode(root, key)
    return list?.kind === 'list' ? list.items : []
  }
  const fileOf = (path: string): SourceFile | undefined => read(resolve(dirname(kustomization.path), path))
  const found: Patch[] = []
  const add = (file: SourceFile | undefined, target?: SourceNode): void => void (file && found.push({ file, target }))
  for (const item of items('patchesStrategicMerge')) {
    if (item.kind !== 'scalar') continue
    add(/\n/.test(String(item.value)) ? textWithin(kustomization, item) : fileOf(String(item.value)))
  }
  for (const item of [...items('patches'), ...items('patchesJson6902')]) {
    const inline = memberNode(item, 'patch')
    add(inline ? textWithin(kustomization, inline) : fileOf(memberText(item, 'path')), memberNode(item, 'target'))
  }
  return found
}

/** The documents of a scalar. Positions are exact in a literal block, and those of the scalar elsewhere. */
function textWithin({ text, position }: KustomizationFile, node: SourceNode): SourceFile | undefined {
  if (node.kind !== 'scalar') return undefined
  const content = String(node.value)
  try {
    const roots = readDocuments(content).map(({ root }) => root)
    if (text.text[node.start] !== '|') return { roots, position: () => position(node) }
    const firstLine = text.lineAt(node.start) + 1
    const [first = ''] = content.split('\n').filter(line => line.trim() !== '')
    const written = text.line(firstLine + content.split('\n').indexOf(first))
    const indent = Math.max(0, written.length - first.length)
    const shifted = (range: TextRange): CheckPosition => {
      const inner = innerPosition(content, range)
      return {
        file: text.name,
        line: firstLine + inner.line,
        column: indent + inner.column + 1,
        endLine: firstLine + inner.line,
        endColumn: indent + inner.column + 1 + Math.max(0, range.end - range.start),
      }
    }
    return { roots, position: shifted }
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

/** Line and column of an offset, both from 0. */
function innerPosition(content: string, { start }: TextRange): { readonly line: number; readonly column: number } {
  const lines = content.slice(0, start).split('\n')
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 }
}

/** An object by the names that patches use. */
export interface PatchedObject {
  readonly kind: string
  /** Names in the source and in the output, which may have a prefix and a suffix. */
  readonly names: readonly string[]
}

/** Locates a node of a built object in a patch. Undefined if the patch does not set it, or sets another value. */
export function locateInPatch(
  { file, target }: Patch,
  object: PatchedObject,
  steps: readonly BuiltStep[],
  accepts: (node: SourceNode) => boolean,
): CheckPosition | undefined {
  if (target !== undefined && !isTarget(target, object)) return undefined
  for (const root of file.roots) {
    const found =
      root.kind === 'list' ? locateInOperations(root.items, steps, accepts) : locateInMerge(root, object, target !== undefined, steps)
    if (found && accepts(found.node)) return file.position(found.range)
  }
  return undefined
}

/** A target may be a regular expression: one with other characters than those of a name matches every name here. */
function isTarget(target: SourceNode, { kind, names }: PatchedObject): boolean {
  const [wantedKind, wantedName] = [memberText(target, 'kind'), memberText(target, 'name')]
  const isPlain = /^[a-zA-Z0-9.-]*$/.test(wantedName) && !wantedName.includes('.')
  return (wantedKind === '' || wantedKind === kind) && (wantedName === '' || !isPlain || names.includes(wantedName))
}

function locateInMerge(
  root: SourceNode,
  { kind, names }: PatchedObject,
  hasTarget: boolean,
  steps: readonly BuiltStep[],
): SourceLocation | undefined {
  const isObject = hasTarget || (memberText(root, 'kind') === kind && names.includes(memberText(memberNode(root, 'metadata'), 'name')))
  return isObject ? followSteps(root, steps) : undefined
}

/** The last operation of a JSON patch that sets the node, or a parent of it. */
function locateInOperations(
  operations: readonly SourceNode[],
  steps: readonly BuiltStep[],
  accepts: (node: SourceNode) => boolean,
): SourceLocation | undefined {
  for (const operation of operations.toReversed()) {
    const value = memberNode(operation, 'value')
    const pointer = memberText(operation, 'path').split('/').slice(1)
    const isPrefix = pointer.length <= steps.length && pointer.every((part, i) => isStep(part, steps[i]))
    const rest = steps.slice(pointer.length)
    const found =
      value && isPrefix ? (rest.length === 0 ? followSteps(operation, [{ key: 'value' }]) : followSteps(value, rest)) : undefined
    if (found && accepts(found.node)) return found
  }
  return undefined
}

/** Indices are not compared: they are those before other operations and patches. */
function isStep(part: string, step: BuiltStep | undefined): boolean {
  if (step === undefined) return false
  return 'key' in step ? part.replaceAll('~1', '/').replaceAll('~0', '~') === step.key : /^(?:\d+|-)$/.test(part)
}
