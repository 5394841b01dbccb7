import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../api/meta/object.ts'
import { type ByteOrder, byteOrderOf, decodeYaml } from '../codec/yaml-source.ts'
import { InputBoundError, readBoundedFile } from '../lib/bounded-input.ts'
import { runAtOnce } from '../lib/steps.ts'
import { DEFAULT_LIMITS, type InputLimits, jsonFault, limitFlag, yamlFault } from './input-limits.ts'
import { lineCounter } from './source/line-counter.ts'
import { type MapNode, nodeValue, readValidDocuments, type SourceDocument, type SourceError, type SourceNode } from './source/nodes.ts'

/** A file of manifests. */
export interface ManifestFile {
  /** Name in messages. `-` is standard input. */
  readonly name: string
  /** Contents, to which the offsets of nodes refer. */
  readonly text: string
  /** All documents that are not empty, whether or not they are API objects. */
  readonly documents: readonly SourceDocument[]
  /** Objects in the order of the text. */
  readonly objects: readonly ManifestObject[]
  /** Byte order of a file in UTF-16. Omitted for UTF-8. */
  readonly byteOrder?: ByteOrder
}

/** An object in a file: a document, or an item of a list. */
export interface ManifestObject {
  /** Members in the order of the text. */
  readonly value: JsonObject
  /** As written, or that of the typed list. */
  readonly apiVersion: string
  /** As written, or that of the typed list. */
  readonly kind: string
  /** Parsed text of the object. */
  readonly node: SourceNode
  /** Index of its document. */
  readonly document: number
  /** First line of the object, from 1. */
  readonly line: number
  /** Optional. The typed list (`DeploymentList`) that contains the object and has its apiVersion. */
  readonly list?: MapNode
}

/** Thrown for a file that cannot be read as manifests, with the line and the reason. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'

  /** Name as in messages. */
  readonly file: string
  /** Line of the fault, from 1. Undefined if it concerns the whole file. */
  readonly line: number | undefined
  /** Message without file and line. */
  readonly reason: string
  /** Contents of the file, if it could be read. */
  readonly text: string | undefined
  /** Whether the file is a template of manifests. */
  readonly isTemplate: boolean

  constructor(file: string, line: number | undefined, reason: string, read?: { readonly text: string; readonly isTemplate?: boolean }) {
    super(line === undefined ? `${file}: ${reason}` : `${file}:${line}: ${reason}`)
    this.file = file
    this.line = line
    this.reason = reason
    this.text = read?.text
    this.isTemplate = read?.isTemplate ?? false
  }
}

/** Extensions of files that are read from folders. Files that are named may have any. */
const EXTENSIONS = new Set(['.yaml', '.yml', '.json'])

/** Reports whether a file in a folder is one of manifests. */
type Choice = (path: string) => boolean

const hasExtension: Choice = path => EXTENSIONS.has(extname(path))

/**
 * Returns the manifest files for the arguments: files, and those in folders at any depth, sorted by name. Throws
 * ManifestError for a path that does not exist.
 */
export function manifestFiles(paths: readonly string[], isChosen: Choice = hasExtension): string[] {
  return paths.flatMap(path => {
    if (path === '-') return [path]
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) throw new ManifestError(path, undefined, 'there is no such file or folder')
    return found.isDirectory() ? filesBelow(path, isChosen) : [path]
  })
}

/** Walks a folder, without hidden files and folders. Charts and their values are left out. */
function filesBelow(folder: string, isChosen: Choice): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return []
    if (entry.isDirectory()) return filesBelow(path, isChosen)
    return !isChartFile(path) && isFile(path) && isChosen(path) ? [path] : []
  })
}

/**
 * Reports whether a path is a regular file, or a link to one. A pipe or a device, which may never end, has to be named
 * on the command line. A dangling link is reported when it is read.
 */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return true
  }
}

/** Reports whether a file describes a Helm chart or holds its values, and so is not a manifest. */
const isChartFile = (path: string): boolean => /^(?:Chart|values[^/]*)\.ya?ml$/.test(basename(path)) && isChart(dirname(path))

const isChart = (folder: string): boolean => statSync(join(folder, 'Chart.yaml'), { throwIfNoEntry: false }) !== undefined

/** Reads a file of manifests. `faults`: see `readManifests`. Throws ManifestError. */
export function readManifestFile(name: string, limits: InputLimits = DEFAULT_LIMITS, faults?: SourceError[]): ManifestFile {
  try {
    const bytes = readBoundedFile(name, limits.fileBytes, limitFlag('fileBytes'))
    const fault = jsonFault(bytes, limits) ?? yamlFault(bytes, limits)
    if (fault !== undefined) throw new ManifestError(name, undefined, fault)
    const byteOrder = byteOrderOf(bytes)
    return { ...readManifests(name, decodedText(name, bytes), faults), ...(byteOrder && { byteOrder }) }
  } catch (error) {
    if (error instanceof InputBoundError || (error instanceof Error && 'code' in error))
      throw new ManifestError(name, undefined, error.message)
    throw error
  }
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, as kubectl does. Throws ManifestError for bytes that are neither, and
 * for characters that YAML does not allow. JSON may have both.
 */
function decodedText(name: string, bytes: Buffer): string {
  const { text, fault } = runAtOnce(decodeYaml(bytes))
  if (fault !== undefined && !/^\s*[{[]/.test(text.slice(0, 100)))
    throw new ManifestError(name, lineCounter(text)(text.length), `yaml: ${fault.message}`, { text })
  return byteOrderOf(bytes) === undefined ? bytes.toString() : text
}

/**
 * Parses a text to its objects. Documents that are not API objects, such as a kustomization without a kind, are
 * skipped. Throws ManifestError. `faults`: errors of documents that are not valid, which are thrown if it is omitted.
 */
export function readManifests(name: string, text: string, faults?: SourceError[]): ManifestFile {
  refuseChartTemplate(name, text)
  const documents = documentsOf(name, text, faults)
  const lineOf = lineCounter(text)
  const objects = documents.flatMap(({ root }, document) =>
    manifestObjects(root, document).map(object => ({ ...object, line: lineOf(object.node.start) })),
  )
  const template = objects.find(({ apiVersion, kind }) => /\{\{/.test(apiVersion + kind))
  if (template) throw templateError(name, template.line, text)
  return { name, text, documents, objects }
}

/** Parses the documents. A text that is no YAML because of template actions is reported as a template. */
function documentsOf(name: string, text: string, faults: SourceError[] | undefined): SourceDocument[] {
  const found: SourceError[] = []
  const documents = readValidDocuments(text, found)
  const [error] = found
  const template = error && templateLine(text)
  if (template !== undefined) throw templateError(name, template, text)
  if (error && faults === undefined) throw new ManifestError(name, error.line, error.message, { text })
  faults?.push(...found)
  return documents
}

/** Rejects templates of a Helm chart, which may be valid YAML by accident. */
function refuseChartTemplate(name: string, text: string): void {
  const inTemplates = basename(dirname(name)) === 'templates' && isChart(dirname(dirname(name)))
  const line = inTemplates ? templateLine(text) : undefined
  if (line !== undefined) throw templateError(name, line, text)
}

/** Returns the first line with a Go template action, or undefined. */
function templateLine(text: string): number | undefined {
  const found = /\{\{/.exec(text)
  return found ? lineCounter(text)(found.index) : undefined
}

const templateError = (name: string, line: number, text: string): ManifestError =>
  new ManifestError(
    name,
    line,
    'this is a template ({{ … }}), not a manifest: render it first (helm template, kustomize build) and pass the output',
    {
      text,
      isTemplate: true,
    },
  )

/** An object before its line has been computed. */
type LocatedObject = Omit<ManifestObject, 'line'>

/** Names that an item of a typed list may omit. */
type Implied = Partial<Pick<LocatedObject, 'apiVersion' | 'kind'>>

/**
 * Returns the objects of a node. Lists are split, including nested ones. Items of a typed list (`DeploymentList`) have
 * its version and kind unless they set their own.
 */
function manifestObjects(node: SourceNode, document: number, implied: Implied = {}): LocatedObject[] {
  const found = manifestObject(node, document, implied)
  if (found === undefined) return []
  const items = found.kind.endsWith('List') && node.kind === 'map' ? node.pairs.find(({ key }) => key === 'items')?.value : undefined
  if (node.kind !== 'map' || items?.kind !== 'list') return [found]
  const kind = found.kind.slice(0, -'List'.length)
  if (kind === '') return items.items.flatMap(item => manifestObjects(item, document))
  const { apiVersion } = found
  const ofList = (item: LocatedObject): LocatedObject =>
    item.kind === kind && item.apiVersion === apiVersion ? { ...item, list: node } : item
  return [found, ...items.items.flatMap(item => manifestObjects(item, document, { apiVersion, kind })).map(ofList)]
}

/** Returns undefined if the node is not an API object. */
function manifestObject(node: SourceNode, document: number, implied: Implied): LocatedObject | undefined {
  const value = node.kind === 'map' ? nodeValue(node) : undefined
  if (!isJsonObject(value)) return undefined
  const { apiVersion = implied.apiVersion, kind = implied.kind } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  return { value, apiVersion, kind, node, document }
}
