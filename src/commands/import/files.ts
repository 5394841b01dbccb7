import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { createGunzip } from 'node:zlib'
import { JsonSyntaxError, parseJson } from '../../codec/json.ts'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../meta/object.ts'
import { ManifestError, readManifests } from '../../upgrade/manifests.ts'
import { readReportedFile } from '../../upgrade/report/sources/found-files.ts'
import type { ObjectImporter } from './object-importer.ts'
import type { Remarks } from './remarks.ts'
import { ArchiveError, tarFiles } from './tar.ts'

const EXTENSIONS = new Set(['.yaml', '.yml', '.json'])
/** Bytes of a file that is read: as a tree, JSON takes some ten times its size of memory, and YAML a hundred times. */
const [LARGEST_JSON, LARGEST_YAML] = [256 << 20, 32 << 20]
/** Lists may be in lists. */
const DEEPEST_LIST = 4
/** An archive unpacks to no more than this and so many times its size: text does not, and what does is made to fill memory and disks. */
const [UNPACKED_BYTES, UNPACKED_TIMES] = [256 << 20, 200]
const GZIP = Buffer.from([0x1f, 0x8b])

/** Where what files hold goes. */
export interface Target {
  readonly importer: ObjectImporter
  readonly remarks: Remarks
}

/** The objects of a file, of a folder at any depth (`kubectl get -o yaml`, must-gather), or of a packed folder (tar.gz, as Velero's). Throws ManifestError where there is none. */
export async function importPath(path: string, target: Target): Promise<void> {
  const found = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })
  if (path === '-') {
    importText('<stdin>', readFileSync(0), true, target)
    return
  }
  if (found === undefined) throw new ManifestError(path, undefined, 'there is no such file or folder')
  if (found.isDirectory()) {
    await importFolder(path, target)
    return
  }
  if (startOf(path).equals(GZIP)) {
    await importArchive(path, target)
    return
  }
  importFile(path, found.size, true, target)
}

/** Links are not followed: who packs a folder decides where they lead. */
function importFolder(folder: string, target: Target): void {
  const left = [folder]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const entries = readdirSync(next, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) left.push(path)
      else if (isChosen(relative(folder, path)))
        if (entry.isSymbolicLink()) target.remarks.told(path, 'left out, as it is a link')
        else if (entry.isFile()) importFile(path, statSync(path).size, false, target)
    }
  }
}

function importFile(path: string, size: number, isNamed: boolean, target: Target): void {
  if (size > LARGEST_JSON) {
    target.remarks.lost(path, `it has ${size} bytes, and ${LARGEST_JSON} are read`)
    return
  }
  try {
    importText(path, readFileSync(path), isNamed, target)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    target.remarks.lost(path, error.message)
  }
}

async function importArchive(path: string, target: Target): Promise<void> {
  try {
    for await (const { name, bytes, isLink } of tarFiles(unpacked(path), LARGEST_JSON)) {
      const place = `${path}: ${name}`
      if (!isChosen(name.replace(/^(?:\.\/)+/, ''))) continue
      if (isLink) target.remarks.told(place, 'left out, as it is a link')
      else if (bytes === undefined) target.remarks.lost(place, `it is larger than ${LARGEST_JSON} bytes`)
      else importText(place, bytes, false, target)
    }
  } catch (error) {
    // What came before is there.
    if (!(error instanceof ArchiveError) && !(error instanceof Error && 'code' in error)) throw error
    target.remarks.lost(path, error.message)
  }
}

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(path)
  const gunzip = createGunzip()
  packed.on('error', error => gunzip.destroy(error)).pipe(gunzip)
  let size = 0
  try {
    for await (const chunk of gunzip) {
      const bytes: Buffer = chunk
      size += bytes.length
      if (size > UNPACKED_BYTES + UNPACKED_TIMES * packed.bytesRead) throw new ArchiveError('it unpacks to far more than texts do, and is read no further')
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

/** Of Velero's folders, `v1beta1` has what is in `v1-preferredversion`, or beside them, in another version. */
const OTHER_VERSION = /^resources\/[^/]+\/(?!namespaces\/|cluster\/)(?![^/]+-preferredversion\/)[^/]+\//

const isChosen = (path: string): boolean => EXTENSIONS.has(extname(path)) && !OTHER_VERSION.test(path)

function importText(name: string, bytes: Buffer, isNamed: boolean, target: Target): void {
  if (!isUtf8(bytes)) {
    target.remarks.lost(name, 'it is no UTF-8')
    return
  }
  const json = jsonOf(bytes)
  if (json !== undefined) {
    importValue(name, json, isNamed, target)
    return
  }
  if (bytes.length > LARGEST_YAML) {
    target.remarks.lost(name, `it has ${bytes.length} bytes, and of YAML ${LARGEST_YAML} are read: JSON may be larger`)
    return
  }
  const { file, faults } = readReportedFile(name, isNamed, () => readManifests(name, bytes.toString()))
  for (const { error } of faults) target.remarks.lost(`${name}${error.line === undefined ? '' : `:${error.line}`}`, error.reason)
  for (const { value, apiVersion, kind, line } of file?.objects ?? [])
    if (!isList(value)) target.importer.add({ ...value, apiVersion, kind }, labelOf(`${name}:${line}`, value, kind))
}

function jsonOf(bytes: Buffer): Json | undefined {
  try {
    return parseJson(bytes).value
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** What has neither a version nor a kind is no object, and was not asked for unless its file is named. */
function importValue(name: string, value: Json, isNamed: boolean, target: Target, depth = 0): void {
  if (!isJsonObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    if (isNamed) target.remarks.lost(name, 'it is no object: it has no apiVersion or no kind')
    return
  }
  const { apiVersion, kind, items } = value
  if (!isList(value) || !Array.isArray(items)) {
    target.importer.add(value, labelOf(name, value, kind))
    return
  }
  if (depth > DEEPEST_LIST) {
    target.remarks.lost(name, 'it has lists in lists')
    return
  }
  const implied = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) }
  for (const [i, item] of items.entries()) importValue(`${name} (item ${i + 1})`, isJsonObject(item) ? { ...implied, ...item } : item, true, target, depth + 1)
}

const isList = ({ kind, items }: JsonObject): boolean => typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)

/** `pods.json: Pod shop/web-1` */
function labelOf(place: string, { metadata }: JsonObject, kind: string): string {
  const { namespace, name } = objectIn(metadata)
  return `${place}: ${kind} ${typeof namespace === 'string' ? `${namespace}/` : ''}${typeof name === 'string' ? name : '(no name)'}`
}
