import { realpathSync, statSync } from 'node:fs'
import { isJsonObject, objectIn } from '../../api/meta/object.ts'
import { ArgumentError } from '../../lib/arguments.ts'
import { DEFAULT_LIMITS, type InputLimits } from '../../upgrade/input-limits.ts'
import { ManifestError, type ManifestFile, manifestFiles, readManifestFile, readManifests } from '../../upgrade/manifests.ts'
import { nodeValue, type SourceError, type SourceNode } from '../../upgrade/source/nodes.ts'
import { emptyInput, hasKind, type Input, type InputObject, inputObject } from './input-object.ts'
import { buildKustomization, builtName, kustomizationFile, originsOf } from './kustomize.ts'
import { KustomizeSources } from './kustomize-sources.ts'
import { isPulumiPreview, isTerraformPlan, pulumiObjects, terraformManifests } from './planned-objects.ts'
import { SourceText, type TextRange } from './position.ts'

const STDIN = '-'

/**
 * Reads files, folders and standard input. Problems of files are faults; throws ArgumentError for a URL, and
 * ManifestError for a path that does not exist and a folder without manifests.
 */
export function readInput(paths: readonly string[], limits: InputLimits = DEFAULT_LIMITS): Input {
  const input = emptyInput()
  for (const path of paths) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw new ArgumentError(`${path}: URLs are not read: download the file and pass its path`)
    const kustomization = path !== STDIN && isFolder(path) ? kustomizationFile(path) : undefined
    if (kustomization !== undefined) readKustomization(path, kustomization, input, limits)
    else {
      const files = manifestFiles([path])
      if (files.length === 0) throw new ManifestError(path, undefined, 'this folder has no files *.yaml, *.yml or *.json')
      for (const file of files) take(input, file, file === path, faults => readManifestFile(file, limits, faults))
    }
  }
  return input
}

/** Reads texts, by file name. */
export function readTexts(texts: Readonly<Record<string, string>>): Input {
  const input = emptyInput()
  for (const [name, text] of Object.entries(texts)) take(input, name, true, faults => readManifests(name, text, faults))
  return input
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Builds a folder. Its objects have the positions of the files that it is built from. */
function readKustomization(folder: string, file: string, input: Input, limits: InputLimits): void {
  const built = buildKustomization(folder)
  if ('fault' in built) {
    input.faults.push({ rule: 'unreadable', message: `${folder}: ${built.fault}` })
    return
  }
  const first = input.objects.length
  take(input, `${folder} (${built.command})`, true, faults => readManifests(folder, built.text, faults))
  const origins = originsOf(folder)
  input.remarks.push(`${folder}: built with ${built.command}${origins.size === 0 ? '; lines are those of its output' : ''}`)
  if (origins.size === 0) return
  const sources = new KustomizeSources({ folder, realFolder: realpathSync(folder), file: realpathSync(file), build: built }, limits)
  input.builds.push(sources)
  for (const [i, object] of input.objects.entries()) {
    if (i < first) continue
    const { apiVersion, kind, name, value } = object
    input.objects[i] = { ...object, sources: sources.of(kind, name, origins.get(builtName(apiVersion, kind, objectIn(value.metadata)))) }
  }
}

/** Adds the objects of a file. `isNamed`: whether the user named it, so that a file without objects is a fault. */
function take(input: Input, name: string, isNamed: boolean, read: (faults: SourceError[]) => ManifestFile): void {
  const faults: SourceError[] = []
  try {
    const file = read(faults)
    const text = new SourceText(name, file.text)
    input.texts.push(text)
    for (const { message, at } of faults) input.faults.push({ rule: 'unreadable', message, position: text.position(restOfLine(text, at)) })
    const found = file.documents.flatMap(({ root }) => objectsInDocument(text, root))
    for (const each of found)
      if ('node' in each) input.objects.push(each)
      else if (each.rule === 'incomplete-object' || isNamed) input.faults.push(each)
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    input.faults.push(faultOf(error, name, input))
  }
}

function faultOf({ text: content, line, reason, isTemplate }: ManifestError, name: string, input: Input): Input['faults'][number] {
  if (content === undefined) return { rule: 'unreadable', message: `${name}: ${reason}` }
  const text = new SourceText(name, content)
  input.texts.push(text)
  return {
    rule: 'unreadable',
    message: reason,
    ...(isTemplate && { advice: 'render the chart and pass the output: helm template . | binnacle check -f -' }),
    position: text.position(restOfLine(text, text.lineStart(line ?? 1))),
  }
}

/** Range from an offset to the end of its line, without blanks. That of the whole line if there is nothing else. */
function restOfLine(text: SourceText, at: number): TextRange {
  const number = text.lineAt(at)
  const line = text.line(number)
  const start = text.lineStart(number)
  const rest = line.slice(at - start).trim() === '' ? line : line.slice(at - start)
  const end = start + line.trimEnd().length
  return { start: Math.min(start + line.length - rest.trimStart().length, end), end }
}

/** Objects of a document: the object itself, the items of a list, or the objects of a plan or preview. */
function objectsInDocument(text: SourceText, root: SourceNode): (InputObject | Input['faults'][number])[] {
  if (root.kind === 'map' && isTerraformPlan(root)) return terraformManifests(root).flatMap(node => objectsOf(text, node))
  if (root.kind === 'map' && isPulumiPreview(root)) return pulumiObjects(root).flatMap(node => objectsOf(text, node))
  const source = helmSource(text.text, root.start)
  return objectsOf(text, root).map(found => ('node' in found && source !== undefined ? { ...found, source } : found))
}

/** Names that an item of a typed list (`DeploymentList`) may omit. */
interface ImpliedNames {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Kinds of files that only clients read. */
const OF_CLIENTS = /^(?:kustomize\.config\.k8s\.io|kind\.x-k8s\.io|audit\.k8s\.io|apiserver\.config\.k8s\.io|config\.kubernetes\.io)\//

function objectsOf(text: SourceText, node: SourceNode, implied: ImpliedNames = {}): (InputObject | Input['faults'][number])[] {
  const value = node.kind === 'map' ? nodeValue(node) : undefined
  const position = text.position({ start: node.start, end: Math.min(node.end, node.start + 1) })
  if (!isJsonObject(value)) return [{ rule: 'not-an-object', message: 'this document is not an object', position }]
  const named = { ...implied, ...value }
  if (!hasKind(named)) {
    const missing = typeof named.kind === 'string' ? 'apiVersion' : typeof named.apiVersion === 'string' ? 'Kind' : undefined
    return missing === undefined
      ? [{ rule: 'not-an-object', message: 'this document is not an object: it has neither apiVersion nor kind', position }]
      : [{ rule: 'incomplete-object', message: `Object '${missing}' is missing`, position }]
  }
  const { apiVersion, kind } = named
  if (OF_CLIENTS.test(apiVersion)) return []
  const items = node.kind === 'map' && kind.endsWith('List') ? node.pairs.find(({ key }) => key === 'items')?.value : undefined
  if (items?.kind !== 'list') return [inputObject(text, node, value, { apiVersion, kind })]
  const ofItems = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) }
  return items.items.flatMap(item => objectsOf(text, item, ofItems))
}

/** Returns the template in the `# Source:` comment that Helm writes above a document. */
function helmSource(text: string, start: number): string | undefined {
  const above = text.slice(Math.max(0, start - 1000), start)
  const from = above.lastIndexOf('# Source: ')
  const line = from < 0 ? undefined : above.slice(from + '# Source: '.length)
  // Another document between the comment and this one means that the comment is not about it.
  return line === undefined || /\n---/.test(line) ? undefined : line.slice(0, (line.indexOf('\n') + 1 || line.length + 1) - 1).trim()
}
