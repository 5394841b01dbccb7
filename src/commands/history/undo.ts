import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../../clients/cluster-client.ts'
import type { Streams } from '../../lib/arguments.ts'
import { onOneLine } from '../../lib/printable.ts'
import { diffText } from './diff.ts'
import { fieldChanges } from './field-changes.ts'
import type { NamedObject } from './named-object.ts'
import { momentAt, type ObjectChange, type ObjectContext, objectAt, objectChanges, runObjectCommand, shownBy } from './object-command.ts'
import { withoutManagedFields } from './show.ts'

const USAGE = `Usage: binnacle undo KIND/NAME [--to MOMENT] [--dry-run]

Restores the content that an object had before its last change, or at a moment, with an ordinary update. Fails if the object changes in between. A deleted object is created again, with a new uid.

      --to          the moment (default: before the last change)
      --dry-run     let the server validate the update, without changing anything
`

/** Metadata that the server assigns, and that differs when the object is created again. */
const OF_AN_INCARNATION = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]

/** Runs the command. Resolves with the exit status. */
export const runUndo = (argv: readonly string[], streams: Streams): Promise<number> =>
  runObjectCommand(argv, { options: { to: 'value', 'dry-run': 'switch' }, usage: USAGE, outputs: [] }, streams, context =>
    undo(context, streams),
  )

async function undo({ given, client, object }: ObjectContext, { out }: Streams): Promise<number> {
  const [latest, before] = await lastTwo(client, object)
  const to = given.value('to')
  const wanted = to === undefined ? contentBefore(object, before) : await contentAt(client, object, to)
  const isDry = given.isOn('dry-run')
  const present = latest.type === 'deleted' ? undefined : shownBy(object, latest)
  if (
    present !== undefined &&
    fieldChanges(
      withoutStatus(present),
      withoutStatus({ ...wanted, metadata: { ...objectIn(wanted.metadata), ...assignedMetadata(present) } }),
    ).length === 0
  ) {
    out(`${onOneLine(object.label)} already has that content: nothing to undo\n`)
    return 0
  }
  const written = await write(client, object, { wanted, present, isDry })
  const revision = String(objectIn(written.metadata).resourceVersion)
  const now = { revision: latest.revision, time: latest.time }
  if (isDry)
    out(diffText(object.label, { object: present, moment: now }, { object: written, moment: { revision: 'next', time: undefined } }))
  out(`${onOneLine(object.label)} ${outcomeText({ isDry, isNew: present === undefined })}${isDry ? '' : `, as revision ${revision}`}\n`)
  if (present === undefined)
    out(`it has a new uid: references to the old one (${onOneLine(String(objectIn(wanted.metadata).uid))}) do not apply to it\n`)
  return 0
}

const outcomeText = ({ isDry, isNew }: { readonly isDry: boolean; readonly isNew: boolean }): string =>
  `${isDry ? 'would be ' : ''}${isNew ? 'created again' : 'written as it was'}`

async function lastTwo(client: ClusterClient, object: NamedObject): Promise<[ObjectChange, ObjectChange | undefined]> {
  const found: ObjectChange[] = []
  for await (const change of objectChanges(client, object, { limit: 2 })) if (found.push(change) === 2) break
  const [latest, before] = found
  if (latest === undefined) throw new ClusterError(`no change of ${object.label} is recorded`, 404)
  return [latest, before]
}

function contentBefore(object: NamedObject, before: ObjectChange | undefined): JsonObject {
  const content = before && shownBy(object, before)
  if (content !== undefined) return content
  throw new ClusterError(
    before === undefined
      ? `the content of ${object.label} before its last change is not available: older changes are no longer available`
      : `${object.label} did not exist before its last change, which created it: to undo that, delete it`,
  )
}

async function contentAt(client: ClusterClient, object: NamedObject, to: string): Promise<JsonObject> {
  const moment = await momentAt(client, to)
  const content = await objectAt(client, object, moment.revision)
  if (content === undefined)
    throw new ClusterError(`there was no ${object.label} at revision ${moment.revision}: to undo its creation, delete it`)
  return content
}

/** Removes the status, which is observed by controllers and cannot be undone. */
function withoutStatus(object: JsonObject): JsonObject {
  const { status: _, ...rest } = object
  return rest
}

/** Returns the metadata that the server assigned to the existing object. */
function assignedMetadata({ metadata }: JsonObject): JsonObject {
  const present = objectIn(metadata)
  return Object.fromEntries(
    OF_AN_INCARNATION.flatMap(name => (present[name] === undefined || name === 'managedFields' ? [] : [[name, present[name]]])),
  )
}

interface Undoing {
  readonly wanted: JsonObject
  readonly present: JsonObject | undefined
  readonly isDry: boolean
}

/**
 * Writes the object. An update has the resource version that was read, so that a concurrent change results in a
 * conflict.
 */
async function write(client: ClusterClient, { path, collection }: NamedObject, { wanted, present, isDry }: Undoing): Promise<JsonObject> {
  const metadata = { ...objectIn(withoutManagedFields(wanted).metadata) }
  for (const name of OF_AN_INCARNATION) delete metadata[name]
  const query = new URLSearchParams({ fieldManager: 'binnacle-undo', ...(isDry && { dryRun: 'All' }) })
  if (present === undefined) return objectIn(await client.send('POST', `${collection}?${query}`, { ...wanted, metadata }))
  return objectIn(await client.send('PUT', `${path}?${query}`, { ...wanted, metadata: { ...metadata, ...assignedMetadata(present) } }))
}
