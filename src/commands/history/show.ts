import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { ClusterError } from '../../clients/cluster-client.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { ArgumentError, type Arguments, type Streams } from '../../lib/arguments.ts'
import { printable } from '../../lib/printable.ts'
import { momentAt, type ObjectContext, objectAt, type ResolvedMoment, runObjectCommand } from './object-command.ts'

const USAGE = `Usage: binnacle show KIND/NAME --at MOMENT

Shows an object as it was at a moment.

      --at          the moment
      --show-managed-fields
  -o, --output      yaml or json
`

const COMMAND = { options: { at: 'value', 'show-managed-fields': 'switch' }, usage: USAGE, outputs: ['yaml', 'json'] } as const

/** Runs the command. Resolves with the exit status. */
export const runShow = (argv: readonly string[], streams: Streams): Promise<number> =>
  runObjectCommand(argv, { ...COMMAND, check: given => void momentOf(given) }, streams, context => show(context, streams))

function momentOf(given: Arguments): string {
  const at = given.value('at')
  if (at === undefined) throw new ArgumentError('--at is required: the moment at which the object is shown')
  return at
}

async function show({ given, client, object }: ObjectContext, { out }: Streams): Promise<number> {
  const moment = await momentAt(client, momentOf(given))
  const found = await objectAt(client, object, moment.revision)
  if (found === undefined) throw new ClusterError(`there was no ${object.label} at ${momentText(moment)}`, 404)
  const shown = given.isOn('show-managed-fields') ? found : withoutManagedFields(found)
  out(given.value('output') === 'json' ? `${JSON.stringify(shown, undefined, 4)}\n` : yamlText(shown))
  return 0
}

/** Prints a moment as `revision 42 (2030-05-01T12:00:00Z)`. The time is omitted if the server does not know it. */
export const momentText = ({ revision, time }: ResolvedMoment): string => `revision ${revision}${time === undefined ? '' : ` (${time})`}`

/** Prints an object as YAML, with control characters escaped for a terminal. */
export const yamlText = (object: JsonObject): string => printable(yamlBytes(object).toString())

/** Returns the object without `metadata.managedFields`. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = objectIn(object.metadata)
  return { ...object, metadata }
}
