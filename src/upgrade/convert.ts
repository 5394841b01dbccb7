import { type JsonObject, objectIn } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import { DecodeError } from '../schema/decode.ts'
import { rawJson } from '../schema/json-text.ts'
import { type Conversion, convertObject } from './convert-object.ts'
import { convertReferences } from './convert-references.ts'
import { decisionsOf, withoutSuccessor } from './decisions.ts'
import { judge, type Refusal } from './judge.ts'
import type { ManifestFile, ManifestObject } from './manifests.ts'
import type { MapNode } from './source/nodes.ts'
import { type NodeChange, rewrite } from './source/rewrite.ts'
import { standingIn } from './versions/old-versions.ts'
import type { ReleaseKinds, ServedKind } from './versions/release-kinds.ts'

/** Message about a conversion, for the user. */
export interface Note {
  /** `decision`: the result has to be reviewed, or cannot be used as it is. */
  readonly severity: 'info' | 'decision'
  /** Line of the object, from 1. */
  readonly line: number
  /** Label of the object, such as `Deployment shop/web`. */
  readonly object: string
  readonly message: string
}

/** Result of converting a file. */
export interface ConvertedFile {
  /** The new text, or the old one if nothing changes. */
  readonly text: string
  /** Whether `text` differs from the old one. */
  readonly changed: boolean
  /** Notes in the order of the objects. */
  readonly notes: readonly Note[]
}

/** Converts the manifests of a file to versions that the release serves. */
export async function convertFile(file: ManifestFile, kinds: ReleaseKinds): Promise<ConvertedFile> {
  const changes = new Map<number, NodeChange[]>()
  /** New versions of typed lists, which follow their items. */
  const lists = new Map<MapNode, ListVersion>()
  const notes: Note[] = []
  for (const object of file.objects) {
    const tell = (severity: Note['severity'], message: string): void =>
      void notes.push({ severity, line: object.line, object: labelOf(object), message })
    const converted = await conversionOf(object, kinds, tell)
    if (converted === undefined) continue
    const changed = changes.get(object.document)
    if (changed) changed.push(converted.change)
    else changes.set(object.document, [converted.change])
    if (object.list && converted.apiVersion !== object.apiVersion)
      lists.set(object.list, { document: object.document, before: object.apiVersion, after: converted.apiVersion })
  }
  addListVersions(lists, changes)
  const { text, rewritten } = rewrite(file.text, file.documents, changes)
  for (const document of rewritten) {
    const object = file.objects.find(each => each.document === document)
    if (object)
      notes.push({
        severity: 'info',
        line: object.line,
        object: labelOf(object),
        message: 'rewritten without its comments, because anchors share the parts that change',
      })
  }
  return { text, changed: text !== file.text, notes }
}

/** Returns the label of an object in messages. */
export function labelOf({ value: { metadata }, kind }: Pick<ManifestObject, 'value' | 'kind'>): string {
  const { namespace, name, generateName } = objectIn(metadata)
  const id = typeof name === 'string' ? name : typeof generateName === 'string' ? `${generateName}*` : ''
  return `${kind}${id === '' ? '' : ' '}${typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : ''}${id}`
}

/** Adds a note about the object that is being converted. */
type Tell = (severity: Note['severity'], message: string) => void

/** Converts the version of an object, then references in it. Undefined if nothing changes. */
async function conversionOf(
  object: ManifestObject,
  kinds: ReleaseKinds,
  tell: Tell,
): Promise<{ readonly change: NodeChange; readonly apiVersion: string } | undefined> {
  const moved = await convertVersion(object, kinds, tell)
  const { before, after, notes } = convertReferences(moved?.after ?? object.value, kinds)
  for (const { severity, message } of notes) tell(severity, message)
  if (moved === undefined && after === before) return undefined
  return { change: { node: object.node, before: moved?.before ?? before, after }, apiVersion: moved?.apiVersion ?? object.apiVersion }
}

/** An object in its old and new version. */
interface Moved {
  readonly before: JsonObject
  readonly after: JsonObject
  /** New version, also if the item of a list does not state it. */
  readonly apiVersion: string
}

/** Converts the object to another version. Returns undefined if it keeps its version. */
async function convertVersion(object: ManifestObject, kinds: ReleaseKinds, tell: Tell): Promise<Moved | undefined> {
  const { release } = kinds
  const standing = standingIn(release, object)
  if (standing === undefined) return undefined
  const { state, life } = standing
  if (state === 'not yet') tell('decision', `${object.apiVersion} is served since ${life.introduced}, and not by ${release}`)
  if (state === 'served' || state === 'not yet') return undefined
  const found = kinds.find(object)
  const conversion = found && tryConvert(kinds, found, object, tell)
  if (conversion === undefined || found === undefined) {
    if (state === 'removed' && conversion !== null) tell('decision', `${withoutSuccessor(object)} (${release} does not serve it)`)
    return undefined
  }
  if (conversion === null) return undefined
  const apiVersion = apiVersionOfVersion(conversion.to)
  tell('info', `${object.apiVersion} becomes ${apiVersion}`)
  await tellConversion(conversion, { object, kinds, found }, tell)
  return { before: asWritten(object, conversion.before), after: asWritten(object, conversion.after), apiVersion }
}

/** Removes apiVersion and kind if the item of a typed list does not have them. */
function asWritten({ value }: ManifestObject, converted: JsonObject): JsonObject {
  const { apiVersion, kind, ...rest } = converted
  return { ...(value.apiVersion !== undefined && { apiVersion }), ...(value.kind !== undefined && { kind }), ...rest }
}

/** Returns null if the object cannot be decoded, which has been reported then. */
function tryConvert(kinds: ReleaseKinds, found: ServedKind, object: ManifestObject, tell: Tell): Conversion | undefined | null {
  try {
    return convertObject(kinds, found, withTypeMeta(object))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    tell('decision', `is not a valid ${object.apiVersion} ${object.kind} and is not converted: ${error.message}`)
    return null
  }
}

const withTypeMeta = ({ value, apiVersion, kind }: ManifestObject): JsonObject => ({ ...value, apiVersion, kind })

/** Reports implied, unknown and lost fields, open decisions, and errors of the result. */
async function tellConversion(
  { to, implied, unknown, lost, after }: Conversion,
  { object, kinds, found }: { readonly object: ManifestObject; readonly kinds: ReleaseKinds; readonly found: ServedKind },
  tell: Tell,
): Promise<void> {
  for (const { path, value } of implied) tell('info', `${path}: ${rawJson(value)} is written out, as ${object.apiVersion} implied it`)
  for (const path of unknown) tell('decision', `${path}: ${object.apiVersion} has no such field, so it had no effect; it stays as it is`)
  for (const path of lost) tell('decision', `${path}: ${apiVersionOfVersion(to)} has no such field`)
  const decisions = decisionsOf(object, object.value)
  for (const { path, message } of decisions) tell('decision', `${path}: ${message}`)
  const { errors } = await judge(kinds, { definition: found.definition, version: to }, after)
  const others = errors.filter(({ text }) => !decisions.some(({ path }) => text.startsWith(`${path}:`)))
  if (others.length > 0) tell('decision', `${kinds.release} refuses the result: ${firstMessages(others)}`)
}

/** Joins the first three messages, and how many more there are: a schema may have hundreds of errors. */
export const firstMessages = (errors: readonly Refusal[]): string =>
  errors
    .slice(0, 3)
    .map(({ text }) => text)
    .join('; ') + (errors.length > 3 ? `; and ${errors.length - 3} more` : '')

/** Change of the version of a typed list. */
interface ListVersion {
  /** Index of the document that contains the list. */
  readonly document: number
  /** Version as written. */
  readonly before: string
  /** Version of the items, of which the last converted one counts. */
  readonly after: string
}

/** Changes the version of typed lists (`DeploymentList`) to that of their items. */
function addListVersions(lists: ReadonlyMap<MapNode, ListVersion>, changes: ReadonlyMap<number, NodeChange[]>): void {
  for (const [list, { document, before, after }] of lists) {
    const pair = list.pairs.find(({ key }) => key === 'apiVersion')
    if (pair) changes.get(document)?.push({ node: pair.value, before, after })
  }
}
