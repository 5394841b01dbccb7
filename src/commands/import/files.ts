import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { JsonSyntaxError, parseJson } from '../../codec/json.ts'
import { byteOrderOf, decodeYaml } from '../../codec/yaml-source.ts'
import { InputBoundError, readBoundedFile } from '../../lib/bounded-input.ts'
import { runAtOnce } from '../../lib/steps.ts'
import { exceeds, jsonFault, limitFlag, yamlFault } from '../../upgrade/input-limits.ts'
import type { InputWatch } from '../../upgrade/input-watch.ts'
import { ManifestError, readManifests } from '../../upgrade/manifests.ts'
import { readReportedFile } from '../../upgrade/report/sources/found-files.ts'
import type { ObjectImporter } from './object-importer.ts'
import type { Remarks } from './remarks.ts'
import { ArchiveError, tarFiles } from './tar.ts'

const EXTENSIONS = new Set(['.yaml', '.yml', '.json'])
/** Nesting depth of lists. */
const DEEPEST_LIST = 4
/**
 * Maximum ratio of unpacked to packed size of an archive, in addition to the input limits. Text does not compress that
 * well; an archive that does is made to exhaust memory and disk.
 */
const UNPACKED_TIMES = 100
const GZIP = Buffer.from([0x1f, 0x8b])

/** Destination of imported objects. */
export interface ImportTarget {
  readonly importer: ObjectImporter
  readonly remarks: Remarks
  readonly watch: InputWatch
}

/**
 * Imports the objects of a file, of a folder at any depth (`kubectl get -o yaml`, must-gather), or of a packed folder
 * (tar.gz, as Velero writes). Throws ManifestError if the path does not exist, and InputBoundError.
 */
export async function importPath(path: string, target: ImportTarget): Promise<void> {
  const found = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })
  if (path !== '-' && found === undefined) throw new ManifestError(path, undefined, 'no such file or folder')
  if (found?.isDirectory()) await importFolder(path, target)
  else if (found?.isFile() && startOf(path).equals(GZIP)) await importArchive(path, createReadStream(path), target)
  else await importFile(path, true, target)
}

/**
 * Imports a folder. Symbolic links are not followed, because the author of the folder chooses their targets. Pipes and
 * devices are skipped, because reading them may not end.
 */
async function importFolder(folder: string, target: ImportTarget): Promise<void> {
  const left = [folder]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const entry of directoryEntries(next, target)) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) left.push(path)
      else if (isChosen(relative(folder, path)))
        if (entry.isSymbolicLink()) target.remarks.note(path, 'skipped, because it is a link')
        else if (entry.isFile()) await importFile(path, false, target)
        else target.remarks.note(path, 'skipped, because it is a pipe, a socket or a device')
    }
  }
}

function directoryEntries(folder: string, { remarks, watch }: ImportTarget): Dirent[] {
  watch.step(folder)
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    remarks.lost(folder, error.message)
    return []
  }
}

async function importFile(path: string, isNamed: boolean, target: ImportTarget): Promise<void> {
  const name = path === '-' ? '<stdin>' : path
  target.watch.step(name)
  let bytes: Buffer
  try {
    bytes = readBoundedFile(path, target.watch.limits.fileBytes, limitFlag('fileBytes'))
  } catch (error) {
    if (!(error instanceof InputBoundError) && !(error instanceof Error && 'code' in error)) throw error
    target.remarks.lost(name, error.message)
    return
  }
  if (isNamed && bytes.subarray(0, GZIP.length).equals(GZIP)) await importArchive(name, Readable.from([bytes]), target)
  else importText(name, bytes, isNamed, target)
}

async function importArchive(path: string, packed: Readable, target: ImportTarget): Promise<void> {
  const { fileBytes } = target.watch.limits
  try {
    for await (const { name, bytes, isLink } of tarFiles(unpacked(path, packed, target), fileBytes)) {
      const place = `${path}: ${name}`
      if (!isChosen(name.replace(/^(?:\.\/)+/, ''))) continue
      if (isLink) target.remarks.note(place, 'skipped, because it is a link')
      else if (bytes === undefined) target.remarks.lost(place, exceeds('fileBytes', `it has more than ${fileBytes} bytes`))
      else importText(place, bytes, false, target)
    }
  } catch (error) {
    // Objects before the error have been imported.
    if (!(error instanceof ArchiveError) && !(error instanceof Error && 'code' in error)) throw error
    target.remarks.lost(path, error.message)
  }
}

async function* unpacked(path: string, packed: Readable, { watch }: ImportTarget): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  let packedBytes = 0
  packed.on('data', (chunk: Buffer) => (packedBytes += chunk.length))
  packed.on('error', error => gunzip.destroy(error)).pipe(gunzip)
  let size = 0
  try {
    for await (const chunk of gunzip) {
      const bytes: Buffer = chunk
      size += bytes.length
      watch.step(path)
      if (size > watch.limits.unpackedBytes + UNPACKED_TIMES * packedBytes)
        throw new ArchiveError(exceeds('unpackedBytes', 'it unpacks to far more than texts do, and is read no further'))
      yield bytes
    }
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

function startOf(path: string): Buffer {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(GZIP.length)
    return bytes.subarray(0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

/** Folders of Velero backups that repeat the objects of `VERSION-preferredversion` in another API version. */
const OTHER_VERSION = /^resources\/[^/]+\/(?!namespaces\/|cluster\/)(?![^/]+-preferredversion\/)[^/]+\//

const isChosen = (path: string): boolean => EXTENSIONS.has(extname(path)) && !OTHER_VERSION.test(path)

function importText(name: string, given: Buffer, isNamed: boolean, target: ImportTarget): void {
  // `kubectl get -o yaml > FILE` writes UTF-16 in PowerShell.
  const decoded = byteOrderOf(given) === undefined ? undefined : runAtOnce(decodeYaml(given))
  const bytes = decoded === undefined ? given : Buffer.from(decoded.text)
  if (decoded?.fault || !isUtf8(bytes)) {
    target.remarks.lost(name, 'it is neither UTF-8, nor UTF-16 with a byte order mark')
    return
  }
  const tooMuch = jsonFault(bytes, target.watch.limits)
  const json = tooMuch === undefined ? jsonOrUndefined(bytes) : undefined
  if (json !== undefined) {
    importValue(name, json, isNamed, target)
    return
  }
  const fault = tooMuch ?? yamlFault(bytes, target.watch.limits)
  if (fault !== undefined) {
    target.remarks.lost(name, fault)
    return
  }
  const { file, faults } = readReportedFile(name, isNamed, invalid => readManifests(name, bytes.toString(), invalid))
  for (const { error } of faults) target.remarks.lost(`${name}${error.line === undefined ? '' : `:${error.line}`}`, error.reason)
  for (const { value, apiVersion, kind, line } of file?.objects ?? [])
    if (!isListObject(value)) importObject({ ...value, apiVersion, kind }, labelOf(`${name}:${line}`, value, kind), target)
}

function importObject(object: JsonObject, place: string, { importer, watch }: ImportTarget): void {
  watch.object(place)
  importer.add(object, place)
}

function jsonOrUndefined(bytes: Buffer): Json | undefined {
  try {
    return parseJson(bytes).value
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/**
 * Imports an object. A value without apiVersion or kind is skipped, and reported only if its file was named on the
 * command line.
 */
function importValue(name: string, value: Json, isNamed: boolean, target: ImportTarget, depth = 0): void {
  if (!isJsonObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    target.watch.step(name)
    if (isNamed) target.remarks.lost(name, 'it is not an object: it has no apiVersion or no kind')
    return
  }
  const { apiVersion, kind, items } = value
  if (!isListObject(value) || !Array.isArray(items)) {
    importObject(value, labelOf(name, value, kind), target)
    return
  }
  if (depth > DEEPEST_LIST) {
    target.remarks.lost(name, 'its lists are nested too deeply')
    return
  }
  const implied = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) }
  for (const [i, item] of items.entries())
    importValue(`${name} (item ${i + 1})`, isJsonObject(item) ? { ...implied, ...item } : item, true, target, depth + 1)
}

const isListObject = ({ kind, items }: JsonObject): boolean => typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)

/** Returns a name for messages, such as `pods.json: Pod shop/web-1`. */
function labelOf(place: string, { metadata }: JsonObject, kind: string): string {
  const { namespace, name } = objectIn(metadata)
  return `${place}: ${kind} ${typeof namespace === 'string' ? `${namespace}/` : ''}${typeof name === 'string' ? name : '(no name)'}`
}
